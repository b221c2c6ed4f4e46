/* SPDX-License-Identifier: Apache-2.0
 *
 * The producer and consumer of HPF/MPI (figure 2): a task sends an array that
 * it has in blocks of rows to one that wants it in blocks of columns.
 *
 *   mpiexec -n 6 producer_consumer                                     one program
 *   mpiexec -n 4 producer_consumer producer : -n 2 producer_consumer consumer
 */
#include <lapwing/arrays.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8, TIMES = 10, TAG = 99 };

static void produce(const lapwing_distribution* array, int rank, int64_t elements, double* a, int time) {
  for (int64_t position = 0; position < elements; ++position) {
    int64_t index[2];
    lapwing_distribution_index(array, rank, position, index);
    a[position] = 10000.0 * time + 100.0 * (double)(index[0] + 1) + (double)(index[1] + 1);
  }
}

static double consume(const lapwing_distribution* array, int rank, int64_t elements, const double* b) {
  double sum = 0;
  for (int64_t position = 0; position < elements; ++position) {
    int64_t index[2];
    lapwing_distribution_index(array, rank, position, index);
    sum += b[position] * (double)((index[0] * N + index[1]) % 13 + 1);
  }
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  lapwing_tasks* tasks;
  if (argc > 1) {
    lapwing_tasks_of_programs(&tasks);
  } else {
    int processes;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (processes < 3) {
      int rank = 0;
      MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      if (rank == 0) fprintf(stderr, "usage: mpiexec -n 6 producer_consumer, on 3 processes or more\n");
      MPI_Finalize();
      return 2;
    }
    const int sizes[2] = {processes - processes / 3, processes / 3};
    lapwing_tasks_of_sizes(MPI_COMM_WORLD, 2, sizes, &tasks);
  }
  const int task = lapwing_tasks_rank(tasks), rank = lapwing_tasks_process_rank(tasks);
  const int processes = lapwing_tasks_processes(tasks, task);
  const int producer = argc > 1 ? strcmp(argv[1], "producer") == 0 : task == 0;

  /* A (BLOCK, *) at the producer, B (*, BLOCK) at the consumer. */
  struct lapwing_dimension dimensions[2] = {lapwing_collapsed(N), lapwing_collapsed(N)};
  dimensions[producer ? 0 : 1] = lapwing_block(N, processes, 0);
  const struct lapwing_grid grid = {1, &processes, LAPWING_ROW_MAJOR, NULL};
  lapwing_distribution* array;
  lapwing_distribution_create(LAPWING_FLOAT64, 2, dimensions, &grid, LAPWING_ROW_MAJOR, NULL, &array);
  struct lapwing_local_part part;
  lapwing_distribution_local(array, rank, &part, NULL, NULL, NULL);
  double* local = malloc((size_t)(part.allocated + 1) * sizeof(double));

  double sum = 0;
  for (int time = 1; time <= TIMES; ++time) {
    if (producer) {
      produce(array, rank, part.elements, local, time);
      lapwing_array_send(local, part.allocated, array, 1, TAG, tasks);
    } else {
      lapwing_array_recv(local, part.allocated, array, 0, TAG, tasks, NULL);
      sum += consume(array, rank, part.elements, local);
    }
  }
  if (!producer) {
    double all = 0;
    MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, lapwing_tasks_comm(tasks));
    if (rank == 0)
      printf("producer_consumer: %d arrays from %d to %d processes, checksum %.0f\n", TIMES,
             lapwing_tasks_processes(tasks, 0), processes, all);
  }
  free(local);
  lapwing_distribution_free(&array);
  lapwing_tasks_free(&tasks);
  MPI_Finalize();
  return 0;
}
