/* SPDX-License-Identifier: Apache-2.0
 * Unsafe sends. Neighbours send to each other first and receive then, which works as long as MPI buffers the
 * messages, and hangs where it does not: with larger messages, on another machine. The checker warns of it
 * in the run that works; with --sends=error it ends the job.
 *
 *   lapwing check -- mpiexec -n 2 ./head_to_head [NUMBERS]        2 processes or more */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 100;
  double *mine = calloc((size_t)n + 1, sizeof *mine), *theirs = calloc((size_t)n + 1, sizeof *theirs);
  int rank, size, partner;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) {
    fputs("usage: mpiexec -n 2 head_to_head [NUMBERS], on 2 processes or more\n", stderr);
    MPI_Finalize();
    return 2;
  }
  partner = rank % 2 == 0 ? rank + 1 : rank - 1; /* the last of an odd number has none */
  for (int i = 0; i < n; ++i) mine[i] = rank + i;
  if (partner < size) {
    MPI_Send(mine, n, MPI_DOUBLE, partner, 1, MPI_COMM_WORLD); /* MPI_Sendrecv is right */
    MPI_Recv(theirs, n, MPI_DOUBLE, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) printf("head_to_head: %d numbers from rank %d, the first is %.0f\n", n, partner, theirs[0]);
  MPI_Finalize();
  free(mine);
  free(theirs);
  return 0;
}
