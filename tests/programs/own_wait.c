/* SPDX-License-Identifier: Apache-2.0 */
/* A program that times its waits by a definition of MPI_Wait of its own, as tools for profiles do that are
   linked into a program. Says how many bytes were wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBytes = 1 << 20, kRounds = 40 };

static double waited;

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const double begun = MPI_Wtime();
  const int error = PMPI_Wait(request, status);
  waited += MPI_Wtime() - begun;
  return error;
}

static double compute(int steps) {
  double sum = 0;
  for (int i = 1; i <= steps; ++i) sum += 1.0 / i;
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  unsigned char* bytes = malloc(kBytes);
  long wrong = 0;
  volatile double sum = 0;
  for (int round = 1; round <= kRounds; ++round) {
    if (rank == 0) {
      memset(bytes, round, kBytes);
      MPI_Send(bytes, kBytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
      MPI_Request request;
      MPI_Irecv(bytes, kBytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      for (int i = 0; i < kBytes; ++i) wrong += bytes[i] != round;
    }
    sum += compute(100000);
  }
  if (rank == 1) printf("%ld wrong bytes, %s\n", wrong, waited > 0 ? "waits seen" : "no wait seen");
  free(bytes);
  MPI_Finalize();
  return wrong != 0;
}
