// SPDX-License-Identifier: Apache-2.0
// Between a wait and the nest what came is unpacked: rounds of the nest run before that, and the waits are gathered
// before them.
//
// RUN: %ir %s -o - | %clean | env LAPWING_PASS=interior=on %lapwing -passes='function(loop-mssa(loop-rotate)),lapwing,verify' -pass-remarks=lapwing -pass-remarks-missed=lapwing 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK <%t.remarks
#include <mpi.h>
#include <stdlib.h>

#define M 1000L
typedef struct { MPI_Request all[2]; } MpiRequests;
void unpack(double* restrict u, double* restrict v, double* restrict came, long n, int low, int high) {
  MPI_Request requests[2];
  if (low >= 0) MPI_Irecv(came, M, MPI_DOUBLE, low, 0, MPI_COMM_WORLD, &requests[0]);
  if (high >= 0) MPI_Irecv(came + M, M, MPI_DOUBLE, high, 0, MPI_COMM_WORLD, &requests[1]);
  if (low >= 0) {
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    for (long j = 0; j < M; ++j) u[j] = came[j];
  }
  if (high >= 0) {
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    for (long j = 0; j < M; ++j) u[n * M + j] = came[M + j];
  }
  for (long i = 1; i < n; ++i)
    for (long j = 0; j < M; ++j) v[i * M + j] = u[(i - 1) * M + j] + u[(i + 1) * M + j];
}
// The waits were under questions, of which only the unpacking is left where they stood.
// CHECK-LABEL: define {{.*}}@unpack(
// CHECK-COUNT-2: call void @lapwing_defer_receives
// CHECK: call void @lapwing_interior_begin(i64
// CHECK: call void @lapwing_interior_access(ptr {{.*}}, i64 0, i32 19,
// CHECK: call void @lapwing_interior_access(ptr {{.*}}, i64 0, i32 7,
// CHECK: [[BYTES:%.*]] = select i1 {{.*}}, i64 8, i64 0
// CHECK: call void @lapwing_interior_access(ptr {{.*}}, i64 [[BYTES]], i32 3, i64 0, i64 8, i64 999,
// CHECK: call { i64, i64 } @lapwing_interior_end()
// CHECK: call void @lapwing_retire
// CHECK: call i32 @MPI_Wait(
// CHECK-NOT: !lapwing.
// REMARK: ways.c:{{[0-9]+}}:{{[0-9]+}}: the loop is not divided into what needs MPI_Wait at ways.c:17 and what does not: it moves numbers and computes none
// REMARK: the loop is divided: its rounds that touch nothing of MPI_Wait at ways.c:17, MPI_Wait at ways.c:21 run before the others

// The wait's message is not known to be all that may be in flight.
void given(double* restrict u, double* restrict v, double* restrict came, MPI_Request* requests, long n) {
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (long j = 0; j < M; ++j) u[j] = came[j];
  for (long i = 1; i < n; ++i)
    for (long j = 0; j < M; ++j) v[i * M + j] = u[(i - 1) * M + j] + u[i * M + j];
}
// CHECK-LABEL: define {{.*}}@given(
// CHECK-NOT: lapwing_interior
// CHECK: ret void

// A call that is not known may do anything with what the rounds touch.
void says(const char*);
void called(double* restrict u, double* restrict v, double* restrict came, long n, int peer) {
  MPI_Request request;
  MPI_Irecv(came, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  says("unpacking");
  for (long j = 0; j < M; ++j) u[j] = came[j];
  for (long i = 1; i < n; ++i)
    for (long j = 0; j < M; ++j) v[i * M + j] = u[(i - 1) * M + j] + u[i * M + j];
}
// CHECK-LABEL: define {{.*}}@called(
// CHECK-NOT: lapwing_interior
// CHECK: ret void

// Whether the nest runs is known only from what came.
void decided(double* restrict u, double* restrict v, double* restrict came, long n, int peer) {
  MPI_Request request;
  MPI_Irecv(came, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (came[0] > 0)
    for (long i = 1; i < n; ++i)
      for (long j = 0; j < M; ++j) v[i * M + j] = u[(i - 1) * M + j] + u[i * M + j];
}
// CHECK-LABEL: define {{.*}}@decided(
// CHECK-NOT: lapwing_interior
// CHECK: ret void
// REMARK: the loop is not divided into what needs MPI_Wait at ways.c:[[#@LINE-8]] and what does not: it is not known early whether it runs

// What a test completes is not known here: the rounds might write what is sent until then.
void tested(double* restrict u, double* restrict v, double* restrict came, MPI_Request* restrict sent, long n, int peer) {
  MPI_Request request;
  int flag = 0;
  MPI_Irecv(came, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  while (!flag) MPI_Test(sent, &flag, MPI_STATUS_IGNORE);
  for (long i = 1; i < n; ++i)
    for (long j = 0; j < M; ++j) v[i * M + j] = u[(i - 1) * M + j] + u[i * M + j];
}
// CHECK-LABEL: define {{.*}}@tested(
// CHECK-NOT: lapwing_interior
// CHECK: ret void

// Nor what a function completes that is called.
static __attribute__((noinline)) void finish(MpiRequests* r) { MPI_Waitall(2, r->all, MPI_STATUSES_IGNORE); }
void finished(double* restrict u, double* restrict v, double* restrict came, MpiRequests* restrict sent, long n, int peer) {
  MPI_Request request;
  MPI_Irecv(came, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  finish(sent);
  for (long i = 1; i < n; ++i)
    for (long j = 0; j < M; ++j) v[i * M + j] = u[(i - 1) * M + j] + u[i * M + j];
}
// CHECK-LABEL: define {{.*}}@finished(
// CHECK-NOT: lapwing_interior
// CHECK: ret void

// Messages end one by one, in any order: the rounds run before the loop that waits for them.
void any(double* restrict u, double* restrict v, long n, const int* restrict peers) {
  MPI_Request requests[2];
  for (int k = 0; k < 2; ++k) MPI_Irecv(u + k * n * M, M, MPI_DOUBLE, peers[k], 0, MPI_COMM_WORLD, &requests[k]);
  for (int k = 0; k < 2; ++k) {
    int which;
    MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
  }
  for (long i = 1; i < n; ++i)
    for (long j = 0; j < M; ++j) v[i * M + j] = u[(i - 1) * M + j] + u[(i + 1) * M + j];
}
// CHECK-LABEL: define {{.*}}@any(
// CHECK: call { i64, i64 } @lapwing_interior_end()
// CHECK: call void @lapwing_defer_receives
// CHECK: call void @lapwing_retire
// CHECK-NEXT: call i32 @MPI_Waitany(
// CHECK-NOT: call i32 @MPI_Waitany(
// CHECK: ret void
// REMARK: the loop is divided: its rounds that touch nothing of MPI_Waitany at ways.c:[[#@LINE-12]] run before the others

// One after another, and the requests are given back.
void given_back(double* restrict u, double* restrict v, long n, const int* restrict peers, int count) {
  MPI_Request* requests = malloc((unsigned long)count * sizeof *requests);
  for (int k = 0; k < count; ++k) MPI_Irecv(u + k * n * M, M, MPI_DOUBLE, peers[k], 0, MPI_COMM_WORLD, &requests[k]);
  for (int k = 0; k < count; ++k) MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
  free(requests);
  for (long i = 1; i < n; ++i)
    for (long j = 0; j < M; ++j) v[i * M + j] = u[(i - 1) * M + j] + u[(i + 1) * M + j];
}
// CHECK-LABEL: define {{.*}}@given_back(
// CHECK: call { i64, i64 } @lapwing_interior_end()
// CHECK: call i32 @MPI_Wait(
// CHECK: call void @free(
// CHECK: lapwing.first:

// Numbers are no integers, wherever these lie (the language's rules of types).
void typed(double* u, double* v, double* came, int* counts, const int* list, long n, int peer) {
  MPI_Request request;
  MPI_Irecv(came, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (long j = 0; j < M; ++j) u[j] = came[j];
  for (long k = 0; k < M; ++k) counts[list[k]] += 1;
  for (long i = 1; i < n; ++i)
    for (long j = 0; j < M; ++j) v[i * M + j] = u[(i - 1) * M + j] + u[(i + 1) * M + j];
}
// CHECK-LABEL: define {{.*}}@typed(
// CHECK: call { i64, i64 } @lapwing_interior_end()

// The rounds run behind the starts, though more would travel before them: another process waits for those.
void behind_starts(double* restrict x, double* restrict in, double* restrict out, double* restrict y, long rows, int low) {
  MPI_Request requests[4];
  MPI_Irecv(in, 64, MPI_DOUBLE, low, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in + 64, 64, MPI_DOUBLE, low, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Irecv(x + rows, 1, MPI_DOUBLE, low, 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(out, 64, MPI_DOUBLE, low, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(2, &requests[2], MPI_STATUSES_IGNORE);
  for (long i = 0; i < rows; ++i) y[i] = x[i] + x[i + 1];
}
// CHECK-LABEL: define {{.*}}@behind_starts(
// CHECK: call i32 @MPI_Isend(
// CHECK: call i32 @lapwing_interior_is_worth(
// CHECK: call i32 @MPI_Waitall(
// CHECK: lapwing.last:
