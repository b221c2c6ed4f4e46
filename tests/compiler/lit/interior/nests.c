// SPDX-License-Identifier: Apache-2.0
// Interior first: a nest that stops a wait becomes several, the first of which runs before it. Which rounds that
// are is asked at run time.
//
// RUN: %ir %s -o - | %clean | env LAPWING_PASS=interior=on %lapwing -passes='function(loop-mssa(loop-rotate)),lapwing,verify' -pass-remarks=lapwing -pass-remarks-missed=lapwing 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK <%t.remarks
// RUN: %ir %s -o - | %clean | env LAPWING_PASS=interior=off %lapwing -passes='function(loop-mssa(loop-rotate)),lapwing' | FileCheck %s --check-prefix=OFF
// RUN: %ir %s -o - | %clean | env LAPWING_PASS=interior=on %lapwing -passes='function(loop-mssa(loop-rotate)),lapwing<report>' | FileCheck %s --check-prefix=OFF
// RUN: %ir %s -o - | %clean | env LAPWING_PASS=interior=on %lapwing -passes='function(loop-mssa(loop-rotate)),lapwing<conservative>' | FileCheck %s --check-prefix=OFF
#include <math.h>
#include <mpi.h>

// OFF-NOT: lapwing_interior

#define M 1000L
void rows(double* restrict u, double* restrict v, long n, int peer) {
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i)
    for (long j = 0; j < M; ++j) v[i * M + j] = u[(i - 1) * M + j] + u[i * M + j];
}
// The receive is started, the interior runs, the wait stands before both other parts.
// CHECK-LABEL: define {{.*}}@rows(
// CHECK: call ptr @lapwing_start_recv
// CHECK: call void @lapwing_interior_begin(i64
// CHECK: call void @lapwing_interior_access(ptr %u, i64 0, i32 19,
// CHECK: call void @lapwing_interior_access(ptr {{.*}}, i32 7,
// CHECK: call void @lapwing_interior_access(ptr {{.*}}, i32 0,
// CHECK: call void @lapwing_interior_access(ptr {{.*}}, i32 1,
// CHECK: call { i64, i64 } @lapwing_interior_end()
// CHECK: br i1 {{.*}}, label %lapwing.interior, label %[[BEHIND:.*]], !dbg
// CHECK: [[BEHIND]]:
// CHECK: lapwing.interior:
// CHECK-NOT: @lapwing_wait
// CHECK: lapwing.first:
// CHECK: call void @lapwing_wait
// CHECK: lapwing.last:
// CHECK-NOT: !lapwing.
// REMARK: nests.c:{{[0-9]+}}:{{[0-9]+}}: the loop is divided: its rounds that touch nothing of MPI_Recv at nests.c:[[#@LINE-21]] run before the others

// A sum goes from round to round.
double sum(double* restrict u, long n, int peer) {
  double all = 0;
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 0; i < n; ++i) all += u[i * M];
  return all;
}
// CHECK-LABEL: define {{.*}}@sum(
// CHECK-NOT: lapwing_interior
// CHECK: ret double
// REMARK: the loop is not divided into what needs MPI_Recv at nests.c:[[#@LINE-7]] and what does not:

// Nothing else needs this one: it is added up behind all rounds, from what they have stored.
double added(double* restrict u, double* restrict v, long n, int peer) {
  double all = 0;
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i) {
    const double one = 2 * u[i * M];
    v[i] = one;
    all += one;
  }
  return all;
}
// CHECK-LABEL: define {{.*}}@added(
// CHECK: call void @lapwing_interior_access(ptr {{.*}}, i64 8, i32 65, i64 8,
// CHECK: {{^}}lapwing.whole:
// CHECK: store double
// CHECK: fadd
// CHECK: {{^}}lapwing.sums:
// CHECK-NOT: fmul
// CHECK: [[STORED:%.*]] = load double, ptr
// CHECK-NEXT: fadd double {{.*}}, [[STORED]]
// CHECK-NOT: store double
// CHECK: lapwing.interior:
// CHECK-NOT: fadd
// CHECK: ret double
// REMARK: the loop is divided: its rounds that touch nothing of MPI_Recv at nests.c:[[#@LINE-21]] run before

// The rounds need it.
double running(double* restrict u, double* restrict v, long n, int peer) {
  double all = 0;
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i) v[i] = all += u[i * M];
  return all;
}
// CHECK-LABEL: define {{.*}}@running(
// CHECK-NOT: lapwing_interior
// CHECK: ret double
// REMARK: what does not: a round of the loop needs a value of the round before

// What it adds is not there any more.
double overwritten(double* restrict u, double* restrict v, long n, int peer) {
  double all = 0;
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i) {
    const double one = sqrt(v[i]) + u[i * M];
    v[i] = one;
    all += one;
    v[i] = 1 / one;
  }
  return all;
}
// CHECK-LABEL: define {{.*}}@overwritten(
// CHECK-NOT: i32 65,
// CHECK: ret double

void search(double* restrict u, double* restrict v, long n, int peer) {
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 0; i < n; ++i) {
    if (u[i * M] < 0) break;
    v[i] = u[i * M];
  }
}
// CHECK-LABEL: define {{.*}}@search(
// CHECK-NOT: lapwing_interior
// REMARK: what does not: the loop is left from its middle

// Rounds that come upon the message by a list are put aside.
void listed(double* restrict u, double* restrict v, const int* restrict list, long n, int peer) {
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i) v[i] = 2 * u[list[i]];
}
// CHECK-LABEL: define {{.*}}@listed(
// CHECK: call void @lapwing_interior_access(ptr {{.*}}, i64 0, i32 51,
// CHECK: call { i64, i64 } @lapwing_interior_avoided(i32 0)
// CHECK-NOT: @lapwing_interior_avoided
// CHECK: call void @lapwing_interior_open(
// CHECK: lapwing.aside:
// CHECK: [[PLACE:%.*]] = getelementptr inbounds double, ptr %u
// CHECK: br i1 {{.*}}, label %lapwing.aside
// CHECK: load double, ptr [[PLACE]]
// CHECK: store double
// CHECK: call { i64, i64 } @lapwing_interior_left(
// REMARK: the loop is divided: its rounds that touch nothing of MPI_Recv at nests.c:[[#@LINE-14]] run before

// What one round writes, another may look up: the round that does is the end of the early ones.
void relaxed(double* u, double* v, const int* list, long n, int peer) {
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i) v[i] = 2 * u[list[i]];
}
// CHECK-LABEL: define {{.*}}@relaxed(
// CHECK: call { i64, i64 } @lapwing_interior_avoided(i32 2)
// CHECK: lapwing.stop:
// CHECK-NEXT: call void @lapwing_interior_stop(
// CHECK: [[MEETS:%.*]] = select i1 {{.*}}, ptr %lapwing.number{{[0-9]*}}, ptr
// CHECK-NEXT: load double, ptr [[MEETS]]
// CHECK: br i1 {{.*}}, label %lapwing.aside

// It writes before all is looked up, and would do so twice.
void written_first(double* restrict u, double* restrict v, const int* restrict list, long n, int peer) {
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i) {
    v[i] += 1;
    v[n + i] = 2 * u[list[i]];
  }
}
// CHECK-LABEL: define {{.*}}@written_first(
// CHECK-NOT: lapwing_interior
// REMARK: what does not: a round writes before it looks up all that it reads

void scattered(double* restrict u, double* restrict v, const int* restrict list, long n, int peer) {
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i) v[list[i]] = 2 * u[i];
}
// CHECK-LABEL: define {{.*}}@scattered(
// CHECK-NOT: lapwing_interior
// REMARK: what does not: an address that does not grow evenly

void derived(double* restrict u, double* restrict v, MPI_Datatype type, long n, int peer) {
  MPI_Recv(u, 1, type, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i)
    for (long j = 0; j < M; ++j) v[i * M + j] = 2 * u[(i - 1) * M + j];
}
// Where it lies is asked of MPI where it starts.
// CHECK-LABEL: define {{.*}}@derived(
// CHECK: call void @lapwing_interior_lay_out(ptr [[LAYOUT:%[^,]*]], ptr %u, i64 1, i32 %type)
// CHECK: call i32 @lapwing_interior_is_worth(
// CHECK: call void @lapwing_interior_keep_layout(ptr [[LAYOUT]], i32 3)

void says(const char*);
void calls(double* restrict u, double* restrict v, long n, int peer) {
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i) {
    v[i] = u[i * M];
    says("round");
  }
}
// CHECK-LABEL: define {{.*}}@calls(
// CHECK-NOT: lapwing_interior
// REMARK: what does not: a call that may do more than compute

// The compiler may sum in any order, and otherwise in one copy than in another.
void fast(double* restrict u, double* restrict v, long n, int peer) {
#pragma clang fp reassociate(on)
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i) {
    double all = 0;
    for (long j = 0; j < M; ++j) all += u[(i - 1) * M + j];
    v[i] = all;
  }
}
// CHECK-LABEL: define {{.*}}@fast(
// CHECK-NOT: lapwing_interior
// CHECK: ret void
// REMARK: what does not: the compiler may compute its floating-point numbers in one copy otherwise than in another

// No round could run before another one.
void same(double* restrict u, double* restrict v, long n, int peer) {
  MPI_Recv(u, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i)
    for (long j = 0; j < M; ++j) v[j] = 2 * v[j] + u[i * M + j];
}
// CHECK-LABEL: define {{.*}}@same(
// CHECK-NOT: lapwing_interior
// CHECK: ret void
// REMARK: what does not: each of its rounds writes the same memory
