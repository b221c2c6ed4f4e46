/* SPDX-License-Identifier: Apache-2.0
 * A sum up a tree of messages, and back. Prints the sum, and in how many splits each process has voted. */
#include <mpi.h>
#include <stdio.h>

#include "lapwing/sets.h"

int main(int argc, char** argv) {
  int rank, size, sum, part, step;
  unsigned long long splits, least, most;
  struct lapwing_sets_stats stats;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  sum = rank + 1;
  for (step = 1; step < size; step *= 2) {
    if (rank % (2 * step) == step) {
      MPI_Send(&sum, 1, MPI_INT, rank - step, 0, MPI_COMM_WORLD);
    } else if (rank % (2 * step) == 0 && rank + step < size) {
      MPI_Recv(&part, 1, MPI_INT, rank + step, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum += part;
    }
  }
  MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
  lapwing_sets_get_stats(&stats);
  splits = stats.splits;
  MPI_Allreduce(&splits, &least, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&splits, &most, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d, %llu to %llu splits\n", sum, least, most);
  MPI_Finalize();
  return 0;
}
