/* SPDX-License-Identifier: Apache-2.0
 * Buffers in use. Rank 1 writes the next values into the array that it still sends, or rank 0 reads what it
 * receives before the wait. Both look right in most runs. `lapwing check --buffers`
 * watches the memory of operations that the program has not completed, and names the place of the first
 * such access; a word on the command line chooses which of the two it is.
 *
 *   lapwing check --buffers -- mpiexec -n 2 ./buffers write|read        2 processes or more */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { numbers = 20000 };
static double sent[numbers], received[numbers];

int main(int argc, char** argv) {
  const int writes = argc > 1 && strcmp(argv[1], "write") == 0,
            reads = argc > 1 && strcmp(argv[1], "read") == 0;
  MPI_Request request = MPI_REQUEST_NULL;
  double seen = 0;
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) {
    fputs("usage: mpiexec -n 2 buffers write|read, on 2 processes or more\n", stderr);
    MPI_Finalize();
    return 2;
  }
  for (int i = 0; i < numbers; ++i) sent[i] = i + 1;
  if (rank == 1) {
    MPI_Isend(sent, numbers, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, &request);
    if (writes) sent[numbers / 2 - 1] = 0; /* belongs behind the wait */
  } else if (rank == 0) {
    MPI_Irecv(received, numbers, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request);
    if (reads) seen = received[numbers / 2 - 1]; /* belongs behind the wait */
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0 && !reads) seen = received[numbers / 2 - 1];
  if (rank == 0) printf("buffers: in the middle is %.0f\n", seen);
  MPI_Finalize();
  return 0;
}
