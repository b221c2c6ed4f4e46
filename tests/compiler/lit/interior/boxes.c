// SPDX-License-Identifier: Apache-2.0
// Where each row needs a column that is received, the loop inside is divided as well: in the early rounds it runs
// those of its rounds that need nothing, and what it leaves on either side runs where the loop stood.
//
// RUN: %ir %s -o - | %clean | env LAPWING_PASS=interior=on %lapwing -passes='function(loop-mssa(loop-rotate)),lapwing,verify' | FileCheck %s
#include <mpi.h>

#define M 1000L
void columns(double* restrict u, double* restrict v, double* restrict in, long n, int peer) {
  MPI_Recv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 0; i < n; ++i) u[i * M] = in[i];
  for (long i = 0; i < n; ++i)
    for (long j = 1; j < M; ++j) v[i * M + j] = 2 * u[i * M + j - 1];
}
// CHECK-LABEL: define {{.*}}@columns(
// CHECK: call void @lapwing_interior_begin(
// CHECK: call void @lapwing_interior_inside(i64 998)
// The column that is unpacked; then what a round reads, whose first steps are those of the loop inside.
// CHECK: call void @lapwing_interior_access(ptr %{{.*}}, i64 %{{.*}}, i32 3, i64 0, i64 8000, i64 %{{[^,]*}}, i64 0,
// CHECK: call void @lapwing_interior_access(ptr %{{.*}}, i64 8, i32 0, i64 8000, i64 8, i64 998, i64 0,
// CHECK: call { i64, i64 } @lapwing_interior_end()
// CHECK: call { i64, i64 } @lapwing_interior_end_inside(i32 1)
// CHECK-NOT: lapwing_interior_end_inside
// CHECK: {{^}}lapwing.interior:
// CHECK: {{^}}lapwing.first:
// CHECK: {{^}}lapwing.has_side{{[0-9]*}}:
// CHECK: icmp slt i64 0, %lapwing.begin
// CHECK: {{^}}lapwing.has_side{{[0-9]*}}:
// CHECK: icmp slt i64 %lapwing.end{{[0-9]*}}, 999
// CHECK: {{^}}lapwing.last:

// Planes, rows and columns.
void cube(double* restrict u, double* restrict v, long n, int peer) {
  MPI_Recv(u, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i)
    for (long j = 0; j < n; ++j)
      for (long k = 0; k < M; ++k) v[(i * n + j) * M + k] = 2 * u[(i * n + j) * M + k];
}
// CHECK-LABEL: define {{.*}}@cube(
// CHECK: call void @lapwing_interior_inside(i64
// CHECK: call void @lapwing_interior_inside(i64 999)
// CHECK: call { i64, i64 } @lapwing_interior_end_inside(i32 1)
// CHECK: call { i64, i64 } @lapwing_interior_end_inside(i32 2)
// CHECK-COUNT-4: {{^}}lapwing.has_side{{[0-9]*}}:
// CHECK-NOT: {{^}}lapwing.has_side{{[0-9]*}}:
// CHECK: ret void

// The loop inside runs differently often from round to round.
void triangle(double* restrict u, double* restrict v, long n, int peer) {
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < M; ++i)
    for (long j = 0; j < (i < n ? i : n); ++j) v[i * M + j] = 2 * u[i * M + j];
}
// CHECK-LABEL: define {{.*}}@triangle(
// CHECK-NOT: lapwing_interior_inside
// CHECK: ret void

// What is written beside it would be written twice; so would what two loops inside write, in another order.
void beside(double* restrict u, double* restrict v, double* restrict w, long n, int peer) {
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i) {
    w[i] = 2 * w[i];
    for (long j = 0; j < M; ++j) v[i * M + j] = 2 * u[i * M + j];
  }
}
// CHECK-LABEL: define {{.*}}@beside(
// CHECK: lapwing_interior_begin
// CHECK-NOT: lapwing_interior_inside
// CHECK: ret void

void two(double* restrict u, double* restrict v, double* restrict w, long n, int peer) {
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i) {
    for (long j = 0; j < M; ++j) w[i * M + j] = 2 * w[i * M + j];
    for (long j = 0; j < M; ++j) v[i * M + j] = 2 * u[i * M + j];
  }
}
// CHECK-LABEL: define {{.*}}@two(
// CHECK: lapwing_interior_begin
// CHECK-NOT: lapwing_interior_inside
// CHECK: ret void

// A sum is carried through the loop inside, and one that ends with it is the round's own.
void sums(double* restrict u, double* restrict v, double* restrict all, long n, int peer) {
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  double total = 0;
  for (long i = 1; i < n; ++i)
    for (long j = 0; j < M; ++j) {
      const double one = 2 * u[i * M + j];
      v[i * M + j] = one;
      total += one;
    }
  *all = total;
}
// CHECK-LABEL: define {{.*}}@sums(
// CHECK: call void @lapwing_interior_inside(i64 999)
// CHECK: {{^}}lapwing.whole:
// CHECK: {{^}}lapwing.interior:
// CHECK-NOT: fadd
// CHECK: ret void

void products(double* restrict u, double* restrict v, long n, int peer) {
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i) {
    double all = 0;
    for (long j = 0; j < M; ++j) all += u[i * M + j] * u[i * M + j];
    v[i] = all;
  }
}
// CHECK-LABEL: define {{.*}}@products(
// CHECK: lapwing_interior_begin
// CHECK-NOT: lapwing_interior_inside
// CHECK: ret void
