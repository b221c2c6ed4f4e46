// SPDX-License-Identifier: Apache-2.0
// A wait for a request that has ended, or that no start has made active, is permitted: only one that nothing can
// have set is named as a mistake.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes=lapwing,verify -disable-output 2>&1 | FileCheck %s
#include <mpi.h>
#include <stdlib.h>

static double a[20000];
#define WAIT(request) MPI_Wait(request, MPI_STATUS_IGNORE)

// CHECK: warning: {{.*}}idle.c:[[#@LINE+4]]: MPI_Wait waits for a request that nothing has started
// CHECK-NOT: nothing has started
void never(void) {
  MPI_Request r;
  WAIT(&r);
}

// A macro that evaluates a call again where it has failed.
#define CHECKED(call) \
  if ((call) != MPI_SUCCESS) abort_with(call)
void abort_with(int code);
void twice(int rank) {
  MPI_Request r[2];
  if (rank == 1) CHECKED(MPI_Irecv(a, 20000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &r[1]));
  if (rank == 0) CHECKED(MPI_Isend(a, 20000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &r[0]));
  if (rank == 1) CHECKED(WAIT(&r[1]));
  if (rank == 0) CHECKED(WAIT(&r[0]));
}

void behind_a_waitall(void) {
  MPI_Request r[2];
  for (int i = 0; i < 2; ++i) MPI_Send_init(a, 20000, MPI_DOUBLE, 1, i, MPI_COMM_WORLD, &r[i]);
  MPI_Startall(2, r);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  WAIT(&r[0]);
}

void made_and_not_started(void) {
  MPI_Request r;
  int flag;
  MPI_Recv_init(a, 20000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &r);
  MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
  WAIT(&r);
  MPI_Request_free(&r);
}
