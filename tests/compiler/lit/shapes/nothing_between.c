// SPDX-License-Identifier: Apache-2.0
// Nothing is computed between these starts and their wait: ways that part and
// meet again are no loop, and what ends the program after an error is no work.
// So the helper need not be told of them.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes='lapwing<aggressive>' | FileCheck %s
#include <mpi.h>
#include <stdlib.h>

static double a[20000], b[20000], work[20000];

// CHECK-LABEL: define {{.*}}@exchange(
// CHECK-NOT: @lapwing_
// CHECK: call i32 @MPI_Waitall
// CHECK-NOT: @lapwing_
// CHECK: ret void
void exchange(int peer, int answers) {
  MPI_Request r[2];
  if (MPI_Irecv(b, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]) != MPI_SUCCESS) abort();
  if (answers) {
    if (MPI_Isend(a, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]) != MPI_SUCCESS) abort();
  } else {
    r[1] = MPI_REQUEST_NULL;
  }
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

// CHECK-LABEL: define {{.*}}@computes(
// CHECK: call void @lapwing_defer
// CHECK: call void @lapwing_retire
// CHECK: ret void
void computes(int peer, int answers) {
  MPI_Request r[2];
  if (MPI_Irecv(b, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]) != MPI_SUCCESS) abort();
  if (answers) {
    if (MPI_Isend(a, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]) != MPI_SUCCESS) abort();
  } else {
    r[1] = MPI_REQUEST_NULL;
  }
  for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + 1;
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}
