/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks travel round a ring of ranks: each step a rank passes on the block
 * that it holds and adds the one that it gets to its own sum.
 * usage: mpiexec -n N ring [BYTES PER BLOCK]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long bytes = argc > 1 ? atol(argv[1]) : 4L << 20;
  const int words = (int)(bytes / 8);
  uint64_t* held = malloc((size_t)words * 8);
  uint64_t* sum = calloc((size_t)words, 8);
  if (words <= 0 || held == NULL || sum == NULL) {
    fprintf(stderr, "ring: cannot have blocks of %ld bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 0; i < words; ++i) held[i] = (uint64_t)i * (uint64_t)i * 2654435761u + (uint64_t)rank;

  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int step = 0; step < 2 * size; ++step) {
    MPI_Sendrecv_replace(held, words, MPI_UINT64_T, next, step, previous, step, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    for (int i = 0; i < words; ++i) sum[i] = sum[i] * 31 + held[i];
  }

  uint64_t mine = 0, all = 0;
  for (int i = 0; i < words; ++i) mine = mine * 1099511628211u + sum[i];
  MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("ring: %d ranks, blocks of %ld bytes, checksum %016llx\n", size, bytes, (unsigned long long)all);
  free(held);
  free(sum);
  MPI_Finalize();
  return 0;
}
