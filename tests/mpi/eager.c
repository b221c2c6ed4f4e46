/* SPDX-License-Identifier: Apache-2.0
   Prints whether a message of 100 KB leaves its sender before the receiver has asked for it, and whether the
   environment names MPICH's threshold: two ranks */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  static char bytes[100000];
  int rank = 0, left = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Request request;
    MPI_Isend(bytes, sizeof bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
    for (const double start = MPI_Wtime(); !left && MPI_Wtime() < start + 0.3;)
      MPI_Test(&request, &left, MPI_STATUS_IGNORE);
    printf("%s, %s\n", left ? "eager" : "rendezvous",
           getenv("UCX_RNDV_THRESH") ? "in the environment" : "gone");
    MPI_Send(NULL, 0, MPI_CHAR, 1, 2, MPI_COMM_WORLD); /* only now is the message asked for */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(NULL, 0, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(bytes, sizeof bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return MPI_Finalize();
}
