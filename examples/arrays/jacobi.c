/* SPDX-License-Identifier: Apache-2.0
 *
 * A Jacobi sweep over an array in blocks of both dimensions. Each block has a layer
 * of ghosts, which a persistent update fills while the elements that need none are
 * computed. The outermost elements of the array are its boundary.
 *
 *   mpiexec -n 4 jacobi [ROWS] [COLUMNS] [STEPS]        any number of processes
 */
#include <lapwing/arrays.h>
#include <stdio.h>
#include <stdlib.h>

/* Along one dimension: which owned elements change, and which of these need no ghosts. */
struct range {
  int64_t low, inner_low, inner_high, high;
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t greatest(int64_t a, int64_t b) { return a > b ? a : b; }

static struct range range_of(int64_t start, int64_t mine, int64_t extent) {
  struct range r;
  r.low = start == 0 ? 1 : 0;
  r.high = start + mine == extent ? mine - 1 : mine;
  r.inner_low = least(greatest(r.low, 1), r.high);
  r.inner_high = greatest(r.inner_low, least(r.high, mine - 1));
  return r;
}

/* `u` and `next` are at the first owned element; rows are `pitch` apart. */
static void relax(const double* u, double* next, int64_t pitch, int64_t i0, int64_t i1, int64_t j0,
                  int64_t j1) {
  for (int64_t i = i0; i < i1; ++i)
    for (int64_t j = j0; j < j1; ++j) {
      const double* at = u + i * pitch + j;
      next[i * pitch + j] = 0.25 * ((at[-pitch] + at[pitch]) + (at[-1] + at[1]));
    }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int64_t rows = argc > 1 ? atoi(argv[1]) : 40, columns = argc > 2 ? atoi(argv[2]) : 30;
  const int steps = argc > 3 ? atoi(argv[3]) : 50;
  lapwing_tasks* tasks;
  lapwing_tasks_create(MPI_COMM_WORLD, 0, &tasks);
  const int rank = lapwing_tasks_process_rank(tasks);
  int shape[2] = {0, 0};
  MPI_Dims_create(lapwing_tasks_processes(tasks, 0), 2, shape);

  struct lapwing_dimension dimensions[2] = {lapwing_block(rows, shape[0], 0),
                                            lapwing_block(columns, shape[1], 1)};
  for (int d = 0; d < 2; ++d) dimensions[d].ghost_below = dimensions[d].ghost_above = 1;
  const struct lapwing_grid grid = {2, shape, LAPWING_ROW_MAJOR, NULL};
  lapwing_distribution* array;
  lapwing_distribution_create(LAPWING_FLOAT64, 2, dimensions, &grid, LAPWING_ROW_MAJOR, NULL, &array);
  struct lapwing_local_part part;
  int64_t mine[2], strides[2], start[2] = {0, 0};
  lapwing_distribution_local(array, rank, &part, mine, NULL, strides);
  if (part.elements > 0) lapwing_distribution_index(array, rank, part.offset, start);

  /* Two arrays that take turns, each with its update. */
  double* memory[2];
  lapwing_array_request* updates[2];
  for (int k = 0; k < 2; ++k) {
    memory[k] = calloc((size_t)part.allocated + 1, sizeof(double));
    for (int64_t i = 0; part.elements > 0 && i < mine[0]; ++i)
      for (int64_t j = 0; j < mine[1]; ++j)
        memory[k][part.offset + i * strides[0] + j] =
            (double)((3 * (start[0] + i) + 5 * (start[1] + j)) % 17);
    lapwing_array_update_ghosts_init(memory[k], part.allocated, array, LAPWING_GHOSTS_FACES, NULL, tasks,
                                     &updates[k]);
  }
  const struct range r = range_of(start[0], mine[0], rows), c = range_of(start[1], mine[1], columns);
  const int64_t pitch = strides[0];
  for (int step = 0; step < steps; ++step) {
    const double* u = memory[step % 2] + part.offset;
    double* next = memory[(step + 1) % 2] + part.offset;
    lapwing_array_start(updates[step % 2]);
    if (part.elements > 0) relax(u, next, pitch, r.inner_low, r.inner_high, c.inner_low, c.inner_high);
    lapwing_array_wait(&updates[step % 2], NULL);
    if (part.elements == 0) continue;
    relax(u, next, pitch, r.low, r.inner_low, c.low, c.high);
    relax(u, next, pitch, r.inner_high, r.high, c.low, c.high);
    relax(u, next, pitch, r.inner_low, r.inner_high, c.low, c.inner_low);
    relax(u, next, pitch, r.inner_low, r.inner_high, c.inner_high, c.high);
  }

  double sum = 0, total = 0;
  const double* result = memory[steps % 2] + part.offset;
  for (int64_t i = 0; part.elements > 0 && i < mine[0]; ++i)
    for (int64_t j = 0; j < mine[1]; ++j)
      sum += result[i * pitch + j] * (double)((start[0] + i + 2 * (start[1] + j)) % 7 + 1);
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("jacobi: %lld x %lld, %d steps, checksum %.6E\n", (long long)rows, (long long)columns, steps,
           total);
  for (int k = 0; k < 2; ++k) {
    lapwing_array_request_free(&updates[k]);
    free(memory[k]);
  }
  lapwing_distribution_free(&array);
  lapwing_tasks_free(&tasks);
  MPI_Finalize();
  return 0;
}
