/* SPDX-License-Identifier: Apache-2.0
 *
 * The symmetric part of a matrix, (A + A^T) / 2, in one call: the matrix is transposed, scaled and added
 * while it goes from one distribution to another.
 *
 *   mpiexec -n 4 symmetric [N]
 */
#include <lapwing/arrays.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int64_t n = argc > 1 ? atoll(argv[1]) : 12;
  int rank, processes;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  lapwing_tasks* tasks;
  lapwing_tasks_of_sizes(MPI_COMM_WORLD, 1, &processes, &tasks);

  /* Rows dealt out in turn; that they are elsewhere than its columns is the call's matter. */
  const struct lapwing_grid grid = {1, &processes, LAPWING_ROW_MAJOR, NULL};
  const struct lapwing_dimension rows[2] = {lapwing_cyclic(n, 2, 0), lapwing_collapsed(n)};
  lapwing_distribution* matrix;
  lapwing_distribution_create(LAPWING_FLOAT64, 2, rows, &grid, LAPWING_ROW_MAJOR, NULL, &matrix);
  struct lapwing_local_part part;
  lapwing_distribution_local(matrix, rank, &part, NULL, NULL, NULL);
  double* a = malloc((size_t)(part.allocated + 1) * sizeof(double));
  double* s = malloc((size_t)(part.allocated + 1) * sizeof(double));
  int64_t index[2];
  for (int64_t position = 0; position < part.elements; ++position) {
    lapwing_distribution_index(matrix, rank, position, index);
    a[position] = s[position] = (double)((3 * index[0] + 5 * index[1] * index[1]) % 17);
  }

  const double half[2] = {0.5, 0};
  lapwing_array_transform(LAPWING_OP_TRANSPOSE, half, a, part.allocated, matrix, half, s, part.allocated,
                          matrix, tasks);

  double sum = 0, all = 0;
  for (int64_t position = 0; position < part.elements; ++position) {
    lapwing_distribution_index(matrix, rank, position, index);
    sum += s[position] * (double)((index[0] + 2 * index[1]) % 7 + 1);
  }
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("symmetric: %lld x %lld, checksum %.6E\n", (long long)n, (long long)n, all);
  lapwing_distribution_free(&matrix);
  lapwing_tasks_free(&tasks);
  free(a), free(s);
  MPI_Finalize();
  return 0;
}
