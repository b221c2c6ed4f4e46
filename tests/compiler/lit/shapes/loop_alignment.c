// SPDX-License-Identifier: Apache-2.0
// In a module that the pass changes, innermost loops are placed at multiples of 64 bytes, so that no loop gets
// slower because code before it grew.
//
// RUN: %ir %s -o - | %clean > %t.ll
// RUN: %lapwing -passes='lapwing,verify' %t.ll | FileCheck %s
// RUN: %ir -DSTAYS %s -o - | %clean > %t.stays.ll
// RUN: %lapwing -passes='lapwing,verify' %t.stays.ll | FileCheck %s --check-prefix=STAYS
// RUN: %lapwing -passes='lapwing<report>,verify' %t.ll | FileCheck %s --check-prefix=STAYS
// STAYS-NOT: !"llvm.loop.align", i32 64
#include <mpi.h>

static double a[20000], b[20000], work[300][300];

// CHECK-LABEL: define {{.*}}@sums(
// CHECK: br label %{{.*}}, !llvm.loop ![[INNER:[0-9]+]]
// CHECK: br label %{{.*}}, !llvm.loop ![[OUTER:[0-9]+]]
// CHECK: ret double
double sums(int peer) {
  MPI_Request request;
  MPI_Irecv(b, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#ifdef STAYS  // used at once
  double sum = b[7];
#else
  double sum = 0;
#endif
  for (int i = 0; i < 300; ++i)
    for (int j = 1; j < 300; ++j) sum += work[i][j] * a[j];
  return sum + b[3];
}

// A function that is compiled for size has no holes.
// CHECK-LABEL: define {{.*}}@small(
// CHECK: br label %{{.*}}, !llvm.loop ![[SMALL:[0-9]+]]
__attribute__((minsize)) double small(void) {
  double sum = 0;
  for (int j = 1; j < 300; ++j) sum += work[2][j] * work[3][j - 1];
  return sum;
}

// Of a loop: its first and last place, that it ends, that it is not unrolled, its alignment.
// CHECK-DAG: ![[OUTER]] = distinct !{![[OUTER]], !{{[0-9]+}}, !{{[0-9]+}}, ![[ENDS:[0-9]+]], ![[WHOLE:[0-9]+]]}
// CHECK-DAG: ![[INNER]] = distinct !{![[INNER]], !{{[0-9]+}}, !{{[0-9]+}}, ![[ENDS]], ![[WHOLE]], ![[PLACED:[0-9]+]]}
// CHECK-DAG: ![[PLACED]] = !{!"llvm.loop.align", i32 64}
// CHECK-DAG: ![[SMALL]] = distinct !{![[SMALL]], !{{[0-9]+}}, !{{[0-9]+}}, ![[ENDS]], ![[WHOLE]]}
