// SPDX-License-Identifier: Apache-2.0
// A call that may throw and whose error is looked at: on the split way nothing
// throws, for no error returns; the program's own call keeps its landing pad.
//
// RUN: %cxx_ir %s -o - | %clean | %lapwing -passes='lapwing,verify' | FileCheck %s
#include <mpi.h>

static double a[20000], b[20000], work[20000];
void handle(int);

// CHECK-LABEL: define {{.*}}@_Z4pairi(
// CHECK: call i32 @lapwing_may_split(
// CHECK: call ptr @lapwing_pair_send(
// CHECK: call ptr @lapwing_pair_recv(
// CHECK: invoke i32 @MPI_Sendrecv(
// CHECK: to label %[[NORMAL:.*]] unwind label
// CHECK: [[NORMAL]]:
// CHECK: phi i32
// CHECK: call void @lapwing_wait(
int pair(int peer) {
  try {
    int rc = MPI_Sendrecv(a, 20000, MPI_DOUBLE, peer, 0, b, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE);
    for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + 1;
    return rc + (b[3] > 0);
  } catch (int error) {
    handle(error);
  }
  return 0;
}
