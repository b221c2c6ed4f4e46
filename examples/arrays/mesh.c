/* SPDX-License-Identifier: Apache-2.0
 *
 * An unstructured mesh: each process has the cells of a list, in no order, and reads some of others. The
 * cells that it reads are a second list, its halo, which a persistent redistribution fills before each step.
 *
 *   mpiexec -n 4 mesh [CELLS STEPS]
 */
#include <lapwing/arrays.h>
#include <stdio.h>
#include <stdlib.h>

/* The mesh: who has a cell, and the two cells that it reads. */
static int owner(int64_t cell, int processes) { return (int)((cell * cell + cell / 3) % processes); }
static int64_t neighbour(int64_t cell, int which, int64_t cells) {
  return which == 0 ? (3 * cell + 1) % cells : (5 * cell + 2) % cells;
}

/* A vector over all processes, whose cells the lists or the dimension say. */
static lapwing_distribution* vector(struct lapwing_dimension dimension, int processes) {
  const struct lapwing_grid grid = {1, &processes, LAPWING_ROW_MAJOR, NULL};
  lapwing_distribution* made;
  lapwing_distribution_create(LAPWING_FLOAT64, 1, &dimension, &grid, LAPWING_ROW_MAJOR, NULL, &made);
  return made;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int64_t cells = argc > 2 ? atoll(argv[1]) : 60;
  const int steps = argc > 2 ? atoi(argv[2]) : 5;
  int rank, processes;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  lapwing_tasks* tasks;
  lapwing_tasks_of_sizes(MPI_COMM_WORLD, 1, &processes, &tasks);

  /* My cells, and those of others that they read, each once. */
  int64_t *mine = malloc((size_t)cells * sizeof *mine), *read = malloc((size_t)cells * sizeof *read);
  char* listed = calloc((size_t)cells, 1);
  int64_t own = 0, halo = 0;
  for (int64_t cell = cells; cell-- > 0;) {
    if (owner(cell, processes) != rank) continue;
    mine[own++] = cell;
    for (int k = 0; k < 2; ++k) {
      const int64_t other = neighbour(cell, k, cells);
      if (owner(other, processes) == rank || listed[other]) continue;
      listed[other] = 1;
      read[halo++] = other;
    }
  }
  lapwing_index_lists *own_lists, *halo_lists;
  lapwing_index_lists_create(cells, mine, own, NULL, 0, tasks, &own_lists);
  lapwing_index_lists_create(cells, read, halo, NULL, 0, tasks, &halo_lists);
  lapwing_distribution* owned = vector(lapwing_indexed(own_lists, 0), processes);
  lapwing_distribution* around = vector(lapwing_indexed(halo_lists, 0), processes);

  double* u = malloc((size_t)(own + halo + 1) * sizeof(double)); /* mine, then the halo */
  double* next = malloc((size_t)(own + 1) * sizeof(double));
  int64_t* where = malloc((size_t)(2 * own + 1) * sizeof(int64_t));
  for (int64_t i = 0; i < own; ++i) {
    u[i] = (double)(mine[i] * mine[i] % 17);
    for (int k = 0; k < 2; ++k) {
      const int64_t other = neighbour(mine[i], k, cells);
      const int64_t here = lapwing_distribution_position(owned, rank, &other);
      where[2 * i + k] = here >= 0 ? here : own + lapwing_distribution_position(around, rank, &other);
    }
  }
  lapwing_array_request* update;
  lapwing_array_redistribute_init(u, own, owned, u + own, halo, around, tasks, &update);
  for (int step = 0; step < steps; ++step) {
    lapwing_array_start(update);
    lapwing_array_wait(&update, NULL);
    for (int64_t i = 0; i < own; ++i) next[i] = 0.5 * u[i] + 0.25 * (u[where[2 * i]] + u[where[2 * i + 1]]);
    for (int64_t i = 0; i < own; ++i) u[i] = next[i];
  }

  /* In blocks, for what follows. */
  lapwing_distribution* blocks = vector(lapwing_block(cells, processes, 0), processes);
  struct lapwing_local_part part;
  lapwing_distribution_local(blocks, rank, &part, NULL, NULL, NULL);
  double *b = malloc((size_t)(part.allocated + 1) * sizeof(double)), sum = 0, all = 0;
  lapwing_array_redistribute(u, own, owned, b, part.allocated, blocks, tasks);
  for (int64_t position = 0; position < part.elements; ++position) {
    int64_t cell;
    lapwing_distribution_index(blocks, rank, position, &cell);
    sum += b[position] * (double)(cell % 7 + 1);
  }
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("mesh: %lld cells, %d steps, checksum %.6E\n", (long long)cells, steps, all);

  lapwing_array_request_free(&update);
  lapwing_distribution_free(&owned);
  lapwing_distribution_free(&around);
  lapwing_distribution_free(&blocks);
  lapwing_index_lists_free(&own_lists);
  lapwing_index_lists_free(&halo_lists);
  lapwing_tasks_free(&tasks);
  free(mine), free(read), free(listed), free(u), free(next), free(where), free(b);
  MPI_Finalize();
  return 0;
}
