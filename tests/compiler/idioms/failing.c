// SPDX-License-Identifier: Apache-2.0
// A program one of whose receives fails without its being looked at, some of whose
// exchanges cannot be sent, whose deferred requests are completed by tests, and which
// is given its thread level by the environment. Two ranks.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "message.h"

static double a[many], b[many];

__attribute__((noinline)) static void work(int n) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < many; ++i) b[i] = b[i] * 0.5 + i;
}

// Its wait moves, but in some rounds it is a test that completes the request.
__attribute__((noinline)) static void sends(int rounds) {
  MPI_Request request;
  for (int k = 0; k < rounds; ++k) {
    MPI_Isend(a, many, MPI_DOUBLE, 1, k, MPI_COMM_WORLD, &request);
    if (k & 1) {
      for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    } else {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      work(20);
    }
    a[k] = k;
  }
}

// More than there is room for.
__attribute__((noinline)) static void fails(int tag) {
  MPI_Status status;
  status.MPI_SOURCE = status.MPI_TAG = status.MPI_ERROR = -9;
  MPI_Recv(b, 1000, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  for (int i = 0; i < many; ++i) a[i] = a[i] * 0.5 + tag;
  printf("from %d tag %d error %d\n", status.MPI_SOURCE, status.MPI_TAG, status.MPI_ERROR);
}

// To a rank that is none: nothing is received either.
__attribute__((noinline)) static void exchanges(int source) {
  MPI_Sendrecv(a, many, MPI_DOUBLE, 99, 5, b, many, MPI_DOUBLE, source, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < many; ++i) a[i] = a[i] * 0.5 + 1;
  MPI_Sendrecv_replace(b, many, MPI_DOUBLE, 99, 5, source, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < many; ++i) a[i] = a[i] * 0.5 + 1;
  printf("behind failed exchanges: %.1f\n", sum(a) + sum(b));
}

int main(int argc, char** argv) {
  setenv("OMPI_MPI_THREAD_LEVEL", "3", 1);
  setenv("MPIR_CVAR_DEFAULT_THREAD_LEVEL", "MPI_THREAD_MULTIPLE", 1);
  MPI_Init(&argc, &argv);
  int rank, level;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Query_thread(&level);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) {
    for (int k = 0; k < 2; ++k) MPI_Send(a, 2000, MPI_DOUBLE, 1, 10 + k, MPI_COMM_WORLD);
    sends(3 + argc);
  } else {
    usleep(100000);  // both are there
    fails(1);
    fails(2);
    for (int k = 0; k < 3 + argc; ++k) MPI_Recv(a, many, MPI_DOUBLE, 0, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("level %d: %.1f\n", level, sum(a));
  }
  exchanges(1 - rank);
  MPI_Finalize();
  return 0;
}
