/* SPDX-License-Identifier: Apache-2.0
 *
 * A multiblock code: three blocks of a domain lie side by side. Each is a task of its
 * own size that relaxes its block, rows distributed; neighbours send each other the
 * columns next to their common boundary, by persistent requests.
 *
 *   mpiexec -n 6 multiblock [ROWS] [COLUMNS] [STEPS]
 */
#include <lapwing/arrays.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 3 };

/* Rows of the neighbours above and below into the ghost rows. */
static void exchange_rows(double* u, int64_t rows, int64_t columns, MPI_Comm comm, int rank, int size) {
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  const int n = (int)columns;
  MPI_Sendrecv(u + n, n, MPI_DOUBLE, up, 1, u + (rows + 1) * n, n, MPI_DOUBLE, down, 1, comm,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(u + rows * n, n, MPI_DOUBLE, down, 2, u, n, MPI_DOUBLE, up, 2, comm, MPI_STATUS_IGNORE);
}

/* One column of `block` as an array of its own. */
static lapwing_distribution* column(const lapwing_distribution* block, int64_t rows, int64_t which) {
  const int64_t first[2] = {0, which}, count[2] = {rows, 1};
  lapwing_distribution* out;
  lapwing_distribution_section(block, first, count, NULL, NULL, &out);
  return out;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int64_t rows = argc > 1 ? atoi(argv[1]) : 12, columns = argc > 2 ? atoi(argv[2]) : 9;
  const int steps = argc > 3 ? atoi(argv[3]) : 20;
  int all;
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  if (all < 6) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
      fprintf(stderr, "usage: mpiexec -n 6 multiblock [ROWS] [COLUMNS] [STEPS], on 6 processes or more\n");
    MPI_Finalize();
    return 2;
  }
  const int sizes[BLOCKS] = {all / 2, all - all / 2 - all / 6, all / 6}; /* 6: 3, 2, 1 */
  lapwing_tasks* tasks;
  lapwing_tasks_of_sizes(MPI_COMM_WORLD, BLOCKS, sizes, &tasks);
  const int task = lapwing_tasks_rank(tasks), rank = lapwing_tasks_process_rank(tasks);
  const int processes = lapwing_tasks_processes(tasks, task);
  MPI_Comm comm = lapwing_tasks_comm(tasks);

  /* Equal shares of rows, with a ghost row on both sides. */
  int64_t* bounds = malloc((size_t)(processes + 1) * sizeof *bounds);
  for (int p = 0; p <= processes; ++p) bounds[p] = rows * p / processes;
  struct lapwing_dimension dimensions[2] = {lapwing_irregular(rows, bounds, 0), lapwing_collapsed(columns)};
  dimensions[0].ghost_below = dimensions[0].ghost_above = 1;
  const struct lapwing_grid grid = {1, &processes, LAPWING_ROW_MAJOR, NULL};
  lapwing_distribution* block;
  lapwing_distribution_create(LAPWING_FLOAT64, 2, dimensions, &grid, LAPWING_ROW_MAJOR, NULL, &block);
  struct lapwing_local_part part;
  lapwing_distribution_local(block, rank, &part, NULL, NULL, NULL);
  const int64_t mine = bounds[rank + 1] - bounds[rank], start = bounds[rank];
  double* u = calloc((size_t)part.allocated, sizeof *u);
  double* next = calloc((size_t)part.allocated, sizeof *next);
  for (int64_t i = 0; i < mine; ++i)
    for (int64_t j = 0; j < columns; ++j)
      u[(i + 1) * columns + j] = (double)((3 * (start + i) + 5 * j + 7 * task) % 17);

  /* My outermost inner columns go to the neighbours' boundary columns. */
  lapwing_distribution* sections[4] = {NULL, NULL, NULL, NULL};
  lapwing_array_request* requests[4];
  int count = 0;
  for (int side = -1; side <= 1; side += 2) {
    const int neighbour = task + side;
    if (neighbour < 0 || neighbour >= BLOCKS) continue;
    sections[count] = column(block, rows, side < 0 ? 1 : columns - 2);
    lapwing_array_send_init(u, part.allocated, sections[count], neighbour, 5, tasks, &requests[count]);
    ++count;
    sections[count] = column(block, rows, side < 0 ? 0 : columns - 1);
    lapwing_array_recv_init(u, part.allocated, sections[count], neighbour, 5, tasks, &requests[count]);
    ++count;
  }

  for (int step = 0; step < steps; ++step) {
    lapwing_array_startall(count, requests);
    exchange_rows(u, mine, columns, comm, rank, processes);
    lapwing_array_waitall(count, requests, NULL);
    for (int64_t i = 1; i <= mine; ++i) {
      if (start + i - 1 == 0 || start + i - 1 == rows - 1) continue;
      for (int64_t j = 1; j < columns - 1; ++j) {
        const double* at = u + i * columns + j;
        next[i * columns + j] = 0.25 * ((at[-columns] + at[columns]) + (at[-1] + at[1]));
      }
    }
    for (int64_t i = 1; i <= mine; ++i) {
      if (start + i - 1 == 0 || start + i - 1 == rows - 1) continue;
      for (int64_t j = 1; j < columns - 1; ++j) u[i * columns + j] = next[i * columns + j];
    }
  }

  double sum = 0, total = 0;
  for (int64_t i = 0; i < mine; ++i)
    for (int64_t j = 0; j < columns; ++j)
      sum += u[(i + 1) * columns + j] * (double)((start + i + 2 * j + 3 * task) % 7 + 1);
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (task == 0 && rank == 0)
    printf("multiblock: %d blocks of %lld x %lld, %d steps, checksum %.6E\n", BLOCKS, (long long)rows,
           (long long)columns, steps, total);
  for (int i = 0; i < count; ++i) {
    lapwing_array_request_free(&requests[i]);
    lapwing_distribution_free(&sections[i]);
  }
  free(u);
  free(next);
  free(bounds);
  lapwing_distribution_free(&block);
  lapwing_tasks_free(&tasks);
  MPI_Finalize();
  return 0;
}
