// SPDX-License-Identifier: Apache-2.0
// Functions that exchange are inlined where a loop follows, and so are those that they belong to: where each of several
// levels calls the one below four times, a function grows by some thousand instructions and no further.
//
// RUN: env LAPWING_PASS=interior=on %clang_lapwing -mllvm -inline-threshold=0 -fno-vectorize -fno-unroll-loops -S -emit-llvm %s -o - | FileCheck %s
#include <mpi.h>

void exchange(double* x, long n, int below, int above) {
  MPI_Request requests[2];
  MPI_Irecv(x - 1, 1, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(x + n, 1, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(x + n - 1, 1, MPI_DOUBLE, above, 0, MPI_COMM_WORLD);
  MPI_Send(x, 1, MPI_DOUBLE, below, 1, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
void smooth(const double* restrict x, double* restrict y, long n) {
  for (long i = 0; i < n; ++i) y[i] = 0.5 * x[i] + 0.25 * (x[i - 1] + x[i + 1]);
}

#define LEVEL(name, inner)                                                             \
  void name(double* restrict x, double* restrict y, long n, int below, int above) {    \
    inner;                                                                             \
    smooth(x, y, n);                                                                   \
    inner;                                                                             \
    smooth(y, x, n);                                                                   \
    inner;                                                                             \
    smooth(x, y, n);                                                                   \
    inner;                                                                             \
    smooth(y, x, n);                                                                   \
  }

// CHECK-LABEL: define {{.*}}@first(
// CHECK-NOT: call void @exchange(
// CHECK: ret void
LEVEL(first, exchange(x, n, below, above))
LEVEL(second, first(x, y, n, below, above))
LEVEL(third, second(x, y, n, below, above))
LEVEL(fourth, third(x, y, n, below, above))
// CHECK-LABEL: define {{.*}}@fifth(
// CHECK: call void @{{third|fourth}}(
// CHECK: ret void
LEVEL(fifth, fourth(x, y, n, below, above))
