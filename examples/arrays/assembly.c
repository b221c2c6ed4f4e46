/* SPDX-License-Identifier: Apache-2.0
 *
 * An assembly by cells, as finite elements have it: nodes on a torus, and a cell between
 * each four of them. A process has a block of the nodes and computes the cells that begin
 * at these; the nodes behind its block are ghosts. Values of nodes are brought there before
 * the cells are computed, and what the cells add to ghosts goes to the nodes' owners.
 *
 *   mpiexec -n 4 assembly [ROWS] [COLUMNS] [STEPS]        any number of processes
 */
#include <lapwing/arrays.h>
#include <stdio.h>
#include <stdlib.h>

/* Three arrays of nodes in local memory, rows of which are `pitch` apart. */
struct nodes {
  int64_t pitch;
  double *stiffness, *x, *load;
};

/* The cells from (i0, j0) to before (i1, j1), each at its four nodes. */
static void add_cells(const struct nodes* n, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
  for (int64_t i = i0; i < i1; ++i)
    for (int64_t j = j0; j < j1; ++j) {
      const int64_t a = i * n->pitch + j, b = a + 1, c = a + n->pitch, d = c + 1;
      const double k = (n->stiffness[a] + n->stiffness[b]) + (n->stiffness[c] + n->stiffness[d]);
      const double force = 0.0075 * k * ((n->x[a] + n->x[d]) - (n->x[b] + n->x[c]));
      n->load[a] -= force;
      n->load[b] += force;
      n->load[c] += force;
      n->load[d] -= force;
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
  for (int d = 0; d < 2; ++d) dimensions[d].ghost_above = 1;
  const struct lapwing_grid grid = {2, shape, LAPWING_ROW_MAJOR, NULL};
  const int periodic[2] = {1, 1};
  lapwing_distribution* array;
  lapwing_distribution_create(LAPWING_FLOAT64, 2, dimensions, &grid, LAPWING_ROW_MAJOR, NULL, &array);
  struct lapwing_local_part part;
  int64_t mine[2], strides[2], start[2] = {0, 0};
  lapwing_distribution_local(array, rank, &part, mine, NULL, strides);
  if (part.elements > 0)
    lapwing_distribution_index(array, rank, part.offset, start);
  else
    mine[0] = mine[1] = 0;

  const size_t room = (size_t)part.allocated + 1;
  double *stiffness = calloc(room, sizeof(double)), *x = calloc(room, sizeof(double)),
         *load = calloc(room, sizeof(double));
  const struct nodes n = {strides[0], stiffness + part.offset, x + part.offset, load + part.offset};
  for (int64_t i = 0; i < mine[0]; ++i)
    for (int64_t j = 0; j < mine[1]; ++j) {
      n.stiffness[i * n.pitch + j] = (double)(1 + (start[0] + i) * (start[1] + j) % 3);
      n.x[i * n.pitch + j] = (double)((3 * (start[0] + i) + 5 * (start[1] + j)) % 17);
    }
  /* The stiffness stays as it is: once is enough. */
  lapwing_array_update_ghosts(stiffness, part.allocated, array, LAPWING_GHOSTS_CORNERS, periodic, tasks);
  for (int step = 0; step < steps; ++step) {
    lapwing_array_request* update;
    lapwing_array_iupdate_ghosts(x, part.allocated, array, LAPWING_GHOSTS_CORNERS, periodic, tasks, &update);
    for (size_t k = 0; k < room; ++k) load[k] = 0;
    add_cells(&n, 0, mine[0] - 1, 0, mine[1] - 1); /* these need no ghosts */
    lapwing_array_wait(&update, NULL);
    if (part.elements > 0) {
      add_cells(&n, mine[0] - 1, mine[0], 0, mine[1]);
      add_cells(&n, 0, mine[0] - 1, mine[1] - 1, mine[1]);
    }
    lapwing_array_add_ghosts(load, part.allocated, array, LAPWING_GHOSTS_CORNERS, periodic, tasks);
    for (int64_t i = 0; i < mine[0]; ++i)
      for (int64_t j = 0; j < mine[1]; ++j) n.x[i * n.pitch + j] += n.load[i * n.pitch + j];
  }

  double sum = 0, total = 0;
  for (int64_t i = 0; i < mine[0]; ++i)
    for (int64_t j = 0; j < mine[1]; ++j)
      sum += n.x[i * n.pitch + j] * (double)((start[0] + i + 2 * (start[1] + j)) % 7 + 1);
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("assembly: %lld x %lld, %d steps, checksum %.6E\n", (long long)rows, (long long)columns, steps,
           total);
  free(stiffness);
  free(x);
  free(load);
  lapwing_distribution_free(&array);
  lapwing_tasks_free(&tasks);
  MPI_Finalize();
  return 0;
}
