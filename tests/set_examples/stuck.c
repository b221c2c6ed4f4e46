/* SPDX-License-Identifier: Apache-2.0 */
/* stuck CASE: processes that wait for ever although they run on sets. */
#include <mpi.h>
#include <stdlib.h>

void of_a_library(int rank, int how);

int main(int argc, char** argv) {
  int rank, how = argc > 1 ? atoi(argv[1]) : 0;
  MPI_Comm other;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Barrier(MPI_COMM_WORLD);
  of_a_library(rank, how);
  if (how == 2) {
    /* In the library's code, and a vote that never comes. */
    of_a_library(rank, 1);
    if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_free(&other);
  MPI_Finalize();
  return 0;
}
