// SPDX-License-Identifier: Apache-2.0
// Copies of a loop compute the same bits, and no other floating-point exceptions than the program.
//
// RUN: %ir -fno-math-errno %s -o - | %clean | env LAPWING_PASS=interior=on %lapwing -passes='function(loop-mssa(loop-rotate)),lapwing,verify' | FileCheck %s
// RUN: %ir -fno-math-errno %s -o - | %clean | env LAPWING_PASS=interior=on %lapwing -vector-library=LIBMVEC-X86 -passes='function(loop-mssa(loop-rotate)),lapwing,verify' -pass-remarks-missed=lapwing 2>%t.remarks | FileCheck %s --check-prefix=VECTORS
// RUN: FileCheck %s --check-prefix=REMARK <%t.remarks
#include <math.h>
#include <mpi.h>

#define EXCHANGE MPI_Recv(x + n, ghosts, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)

// A sine of two numbers at once has other bits than that of one.
void sines(double* restrict x, double* restrict y, const double* restrict u, long n, int ghosts, int peer) {
  EXCHANGE;
  for (long i = 0; i < n; ++i) y[i] = sin(u[i]);
}
// CHECK-LABEL: define {{.*}}@sines(
// CHECK: call { i64, i64 } @lapwing_interior_end()
// VECTORS-LABEL: define {{.*}}@sines(
// VECTORS-NOT: @lapwing_interior
// VECTORS: ret void
// REMARK: the compiler may compute its floating-point numbers in one copy otherwise than in another

// A round goes on with zero in place of what it must not read.
void sums(double* x, double* y, const int* restrict list, long n, int ghosts, int peer) {
  EXCHANGE;
  for (long i = 0; i < n; ++i) y[i] = 3 + 2 * x[list[i]];
}
// CHECK-LABEL: define {{.*}}@sums(
// CHECK: store double 0.000000e+00, ptr [[ZERO:%lapwing.number[0-9]*]]
// CHECK: select i1 {{.*}}, ptr [[ZERO]], ptr

// It does not where that would divide by zero.
void quotients(double* x, double* y, const int* restrict list, long n, int ghosts, int peer) {
  EXCHANGE;
  for (long i = 0; i < n; ++i) y[i] = 3 / (x[list[i]] - 1);
}
// CHECK-LABEL: define {{.*}}@quotients(
// CHECK-NOT: %lapwing.number
// CHECK: call void @lapwing_interior_stop(
// CHECK: {{^}$}}

void roots(double* x, double* y, const int* restrict list, long n, int ghosts, int peer) {
  EXCHANGE;
  for (long i = 0; i < n; ++i) y[i] = sqrt(x[list[i]] - 1);
}
// CHECK-LABEL: define {{.*}}@roots(
// CHECK-NOT: %lapwing.number
// CHECK: call void @lapwing_interior_stop(
// CHECK: {{^}$}}
