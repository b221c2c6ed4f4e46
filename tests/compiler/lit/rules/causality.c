// SPDX-License-Identifier: Apache-2.0
// Rule 1: what the sender did before sending has happened once a receive is
// over. Others must not be able to learn that it is over before it is.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes=lapwing | FileCheck %s
#include <mpi.h>

static double a[20000], b[20000], work[20000];
#define WORK \
  for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + 1

// A receive that crosses a send is matched first; its payload may come later.
// CHECK-LABEL: define {{.*}}@forwards(
// CHECK: call ptr @lapwing_start_recv_matched(
// CHECK: @lapwing_start_send(
// CHECK: call void @lapwing_wait
double forwards(int peer) {
  MPI_Recv(a, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(b, 20000, MPI_DOUBLE, peer + 1, 0, MPI_COMM_WORLD);
  WORK;
  return a[3];
}

// A program's own receive cannot be: its wait stays above the send.
// CHECK-LABEL: define {{.*}}@own_receive(
// CHECK: call i32 @MPI_Irecv(
// CHECK: call i32 @MPI_Wait(
// CHECK: @lapwing_start_send(
double own_receive(int peer) {
  MPI_Request r;
  MPI_Irecv(a, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  WORK;
  MPI_Send(b, 20000, MPI_DOUBLE, peer + 1, 0, MPI_COMM_WORLD);
  WORK;
  return a[3];
}

// A synchronous send tells the sender that it was received: as a receive.
// CHECK-LABEL: define {{.*}}@synchronous(
// CHECK: call ptr @lapwing_start_ssend(
// CHECK: call void @lapwing_wait
// CHECK: call ptr @lapwing_start_send(
void synchronous(int peer) {
  MPI_Ssend(a, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  WORK;
  MPI_Send(b, 20000, MPI_DOUBLE, peer + 1, 0, MPI_COMM_WORLD);
  WORK;
}

// Where there is nothing but computing to cross, it is posted.
// CHECK-LABEL: define {{.*}}@computes(
// CHECK: call ptr @lapwing_{{start|post}}_recv(
// CHECK: call void @lapwing_wait
double computes(int peer) {
  MPI_Recv(a, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  WORK;
  return a[3];
}
