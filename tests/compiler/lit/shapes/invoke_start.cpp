// SPDX-License-Identifier: Apache-2.0
// A call that may throw can be split: the start throws where the call did, and
// the wait never throws. Nothing is pending on the way out.
//
// RUN: %cxx_ir %s -o - | %clean | %lapwing -passes=lapwing | FileCheck %s
#define MPICH_SKIP_MPICXX
#include <mpi.h>

static double a[20000], work[20000];
struct Guard { ~Guard() { work[0] = 1; } };

// CHECK-LABEL: define {{.*}}@_Z5sendsv(
// CHECK: invoke ptr @lapwing_start_send(
// CHECK-NEXT: to label %{{.*}} unwind label
// CHECK: call void @lapwing_wait
void sends() {
  Guard guard;
  MPI_Send(a, 20000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + 1;
}
