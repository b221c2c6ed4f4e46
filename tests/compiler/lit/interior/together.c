// SPDX-License-Identifier: Apache-2.0
// An exchange that is called from many places, and a loop that is: both are inlined where the one follows the
// other, and nowhere else.
//
// RUN: env LAPWING_PASS=interior=on %clang_lapwing -g -mllvm -inline-threshold=0 -fno-vectorize -fno-unroll-loops -S -emit-llvm %s -o %t.ll -Rpass=lapwing 2>%t.remarks
// RUN: FileCheck %s <%t.ll
// RUN: FileCheck %s --check-prefix=REMARK <%t.remarks
// RUN: %clang_lapwing -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OFF
#include <mpi.h>

void says(double);

// REMARK: together.c:[[#@LINE+12]]:3: remark: the loop is divided
// REMARK-NOT: is divided
// OFF-NOT: lapwing_interior
void exchange(double* x, long n, int ghosts, int below, int above) {
  MPI_Request requests[2];
  MPI_Irecv(x - ghosts, ghosts, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(x + n, ghosts, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(x + n - ghosts, ghosts, MPI_DOUBLE, above, 0, MPI_COMM_WORLD);
  MPI_Send(x, ghosts, MPI_DOUBLE, below, 1, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
void smooth(const double* restrict x, double* restrict y, long n) {
  for (long i = 0; i < n; ++i) y[i] = 0.5 * x[i] + 0.25 * (x[i - 1] + x[i + 1]);
}

// CHECK-LABEL: define {{.*}}@step(
// CHECK-NOT: call void @exchange(
// CHECK-NOT: call void @smooth(
// CHECK: call {{.*}}@lapwing_interior_end
// CHECK: ret void
void step(double* restrict x, double* restrict y, long n, int ghosts, int below, int above) {
  exchange(x, n, ghosts, below, above);
  smooth(x, y, n);
}

// A call that may do anything stands between.
// CHECK-LABEL: define {{.*}}@apart(
// CHECK: call void @exchange(
// CHECK: call void @smooth(
void apart(double* x, double* y, long n, int ghosts, int below, int above) {
  exchange(x, n, ghosts, below, above);
  says(x[0]);
  smooth(x, y, n);
}

// A loop that only moves numbers is not divided.
void copies(const double* restrict x, double* restrict y, long n) {
  for (long i = 0; i < n; ++i) y[i] = x[i];
}
// CHECK-LABEL: define {{.*}}@moved(
// CHECK: call void @exchange(
void moved(double* x, double* y, long n, int ghosts, int below, int above) {
  exchange(x, n, ghosts, below, above);
  copies(x, y, n);
}

// The loop comes first.
// CHECK-LABEL: define {{.*}}@before(
// CHECK: call void @smooth(
// CHECK: call void @exchange(
void before(double* x, double* y, long n, int ghosts, int below, int above) {
  smooth(x, y, n);
  exchange(y, n, ghosts, below, above);
}

// More than is taken for a function that is called from few places.
void often(double* x, double* y, long n, int below, int above) {
  exchange(x, n, 1, below, above);
  exchange(y, n, 2, below, above);
  exchange(x, n, 3, below, above);
  smooth(y, x, n);
  says(x[0]);
  smooth(x, y, n);
}
