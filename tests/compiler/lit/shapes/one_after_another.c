// SPDX-License-Identifier: Apache-2.0
// A loop waits for one request after another, and nothing in it is in the way:
// each wait sinks to the next, where it is still for its own request, and the
// last one behind the loop.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes='lapwing<aggressive>' | FileCheck %s
#include <mpi.h>

static double into[64][1000], work[20000];

// CHECK-LABEL: define {{.*}}@waits(
// CHECK: {{^}}for.cond
// CHECK-DAG: [[PENDING:%lapwing.pending[.0-9]*]] = phi i1 [ false, %
// CHECK-DAG: [[KEPT:%lapwing.kept[.0-9]*]] = phi ptr [ poison, %
// CHECK: br i1 [[PENDING]]
// CHECK: call void @lapwing_retire(i32 1, ptr [[KEPT]])
// CHECK-NEXT: call i32 @MPI_Wait(ptr [[KEPT]],
// CHECK-NOT: MPI_Wait
// CHECK: for.end
// CHECK: call i32 @MPI_Wait(ptr %lapwing.kept
// CHECK-NEXT: br
// CHECK: ret double
double waits(int n) {
  MPI_Request requests[64];
  for (int p = 0; p < n; ++p)
    MPI_Irecv(into[p], 1000, MPI_DOUBLE, p, 0, MPI_COMM_WORLD, &requests[p]);
  for (int p = 0; p < n; ++p) MPI_Wait(&requests[p], MPI_STATUS_IGNORE);
  for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + i;
  return into[n - 1][7];
}
