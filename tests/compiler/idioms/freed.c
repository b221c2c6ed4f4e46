// SPDX-License-Identifier: Apache-2.0
// A persistent send that is freed while it is active: its receiver's answer tells that
// its buffer may be written again. Two ranks.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "message.h"

static double a[many], b[many];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Request request;
    for (int i = 0; i < many; ++i) a[i] = 1;
    MPI_Send_init(a, many, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Request_free(&request);
    MPI_Recv(b, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < many; ++i) a[i] = 7 + i % 3;
    printf("0: %.1f %.1f\n", sum(a), sum(b));
  } else {
    usleep(200000);
    MPI_Recv(a, many, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("1: %.1f\n", sum(a));
    MPI_Send(a, many, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
