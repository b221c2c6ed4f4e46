// SPDX-License-Identifier: Apache-2.0
// A wait may get what an earlier round of the loop around has started, and a wait goes above no call that looks at
// its request or at its status.
//
// RUN: %ir %s -o - | %clean | env LAPWING_PASS=interior=on %lapwing -passes='function(loop-mssa(loop-rotate)),lapwing,verify' | FileCheck %s
#include <mpi.h>

#define M 1000L
#define EXPECT(to) MPI_Irecv(to, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request)

// The receive that stands between the wait and the loop is of the next round: in flight is the one of the round
// before, into the other buffer.
void ahead(double* restrict came, double* restrict other, double* restrict sums, int peer, int rounds) {
  MPI_Request request;
  EXPECT(came);
  for (int round = 0; round < rounds; ++round) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(round % 2 ? came : other);
    for (long i = 0; i < M; ++i) sums[i] += (round % 2 ? other : came)[i];
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
// CHECK-LABEL: define {{.*}}@ahead(
// CHECK: [[LOW:%lapwing.low[^ ]*]] = phi ptr [ null,
// CHECK: call void @lapwing_interior_begin(i64
// CHECK: call void @lapwing_interior_access(ptr [[LOW]], i64 0, i32 19,
// CHECK: call { i64, i64 } @lapwing_interior_end()

// Of all that is behind it nothing is left for a wait for any.
int any(double* restrict came, double* restrict u, double* restrict v, int peer) {
  MPI_Request requests[2];
  int which;
  MPI_Irecv(came, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(came + M, M, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (long i = 0; i < M; ++i) v[i] = 2 * u[i];
  return which;
}
// CHECK-LABEL: define {{.*}}@any(
// CHECK: call { i64, i64 } @lapwing_interior_end()
// CHECK: call i32 @MPI_Waitany(
// CHECK: call i32 @MPI_Waitall(

// Both waits write one status.
int counts(double* restrict came, double* restrict u, double* restrict v, int peer) {
  MPI_Request first, second;
  MPI_Status status;
  int one, two;
  MPI_Irecv(came, M, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &first);
  MPI_Irecv(came + M, M, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &second);
  MPI_Wait(&first, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &one);
  MPI_Wait(&second, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &two);
  for (long i = 0; i < M; ++i) v[i] = 2 * u[i];
  return one - two;
}
// CHECK-LABEL: define {{.*}}@counts(
// CHECK: call { i64, i64 } @lapwing_interior_end()
// CHECK: call i32 @MPI_Wait(
// CHECK: call i32 @MPI_Get_count(
// CHECK: call i32 @MPI_Wait(
// CHECK: call i32 @MPI_Get_count(
