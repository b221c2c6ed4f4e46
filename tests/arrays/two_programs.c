/* SPDX-License-Identifier: Apache-2.0
 *
 * The producer and consumer of HPF/MPI (figure 2) as two programs that are started
 * together, in C: mpiexec -n 2 two_programs : -n 1 two_programs. */
#include <stdio.h>
#include <stdlib.h>

#include "lapwing/arrays.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  lapwing_tasks* tasks = NULL;
  lapwing_tasks_of_programs(&tasks);
  const int task = lapwing_tasks_rank(tasks), mine = lapwing_tasks_processes(tasks, task);
  if (lapwing_tasks_size(tasks) != 2) {
    fprintf(stderr, "FAILED: %d tasks, not 2\n", lapwing_tasks_size(tasks));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  struct lapwing_dimension rows[2] = {lapwing_block(8, mine, 0), lapwing_collapsed(8)};
  struct lapwing_dimension columns[2] = {lapwing_collapsed(8), lapwing_block(8, mine, 0)};
  const struct lapwing_grid grid = {1, &mine, LAPWING_ROW_MAJOR, NULL};
  lapwing_distribution* a = NULL;
  lapwing_distribution_create(LAPWING_FLOAT32, 2, task == 0 ? rows : columns, &grid, LAPWING_ROW_MAJOR, NULL,
                              &a);
  struct lapwing_local_part part;
  lapwing_distribution_local(a, lapwing_tasks_process_rank(tasks), &part, NULL, NULL, NULL);
  float* local = calloc((size_t)part.allocated + 1, sizeof *local);
  int wrong = 0;
  for (int i = 0; i < 10; ++i) {
    int64_t index[2];
    for (int64_t p = 0; task == 0 && p < part.allocated; ++p)
      if (lapwing_distribution_index(a, lapwing_tasks_process_rank(tasks), p, index) == 0)
        local[p] = (float)(100 * i + 10 * index[0] + index[1]);
    if (task == 0)
      lapwing_array_send(local, part.allocated, a, 1, 99, tasks);
    else
      lapwing_array_recv(local, part.allocated, a, 0, 99, tasks, NULL);
    for (int64_t p = 0; task == 1 && p < part.allocated; ++p)
      if (lapwing_distribution_index(a, lapwing_tasks_process_rank(tasks), p, index) == 0)
        wrong += local[p] != (float)(100 * i + 10 * index[0] + index[1]);
  }
  if (task == 1) puts(wrong == 0 ? "passed" : "FAILED");
  free(local);
  lapwing_distribution_free(&a);
  lapwing_tasks_free(&tasks);
  MPI_Finalize();
  return wrong != 0;
}
