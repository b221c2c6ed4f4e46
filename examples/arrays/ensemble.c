/* SPDX-License-Identifier: Apache-2.0
 *
 * An ensemble: up to three models of one field, each a task with its share of the processes, and
 * collective calls between them. In each step a task gets a band of rows of all models (alltoall) and
 * forms their mean; the bands of all tasks are the mean field (allgather), which each model draws near
 * to. The same calls with plain arguments tell what a task knows as a whole: its weight, and its
 * distances from the mean.
 *
 *   mpiexec -n 6 ensemble [BAND] [COLUMNS] [STEPS]        any number of processes
 */
#include <lapwing/arrays.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Rows by columns, in blocks of the one or of the other over the processes of a task. */
static lapwing_distribution* make(int64_t rows, int64_t columns, int by_rows, int processes) {
  const struct lapwing_dimension dimensions[2] = {
      by_rows ? lapwing_block(rows, processes, 0) : lapwing_collapsed(rows),
      by_rows ? lapwing_collapsed(columns) : lapwing_block(columns, processes, 0)};
  const struct lapwing_grid grid = {1, &processes, LAPWING_ROW_MAJOR, NULL};
  lapwing_distribution* out;
  lapwing_distribution_create(LAPWING_FLOAT64, 2, dimensions, &grid, LAPWING_ROW_MAJOR, NULL, &out);
  return out;
}

static double* memory(const lapwing_distribution* array, int rank, int64_t* elements) {
  struct lapwing_local_part part;
  lapwing_distribution_local(array, rank, &part, NULL, NULL, NULL);
  *elements = part.allocated;
  return calloc((size_t)part.allocated + 1, sizeof(double));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int64_t band = argc > 1 ? atoi(argv[1]) : 5, columns = argc > 2 ? atoi(argv[2]) : 12;
  const int steps = argc > 3 ? atoi(argv[3]) : 4;
  int world_rank, world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  const int models = world < 3 ? world : 3;
  lapwing_tasks* tasks;
  lapwing_tasks_create(MPI_COMM_WORLD, world_rank * models / world, &tasks);
  const int model = lapwing_tasks_rank(tasks), rank = lapwing_tasks_process_rank(tasks);
  const int processes = lapwing_tasks_processes(tasks, model);

  lapwing_distribution *rows = make(models * band, columns, 1, processes), /* a model, and the mean field */
      *bands = make(models * band, columns, 0, processes), /* one band of all models, one behind the other */
          *one_band = make(band, columns, 0, processes);   /* of the mean */
  int64_t n, all_elements, band_elements, index[2];
  double *field = memory(rows, rank, &n), *mean = memory(rows, rank, &n),
         *all = memory(bands, rank, &all_elements), *mine = memory(one_band, rank, &band_elements);
  for (int64_t p = 0; p < n; ++p) {
    lapwing_distribution_index(rows, rank, p, index);
    field[p] = (double)((7 * index[0] + 3 * index[1] + 11 * model) % 13);
  }

  double weight = model + 1, sum_of_weights = 0, weights[3], far[3], reported[3];
  lapwing_tasks_allgather(&weight, weights, 1, MPI_DOUBLE, tasks);
  for (int m = 0; m < models; ++m) sum_of_weights += weights[m];
  double checksum = 0, total = 0;
  for (int step = 0; step < steps; ++step) {
    lapwing_array_alltoall(field, n, rows, all, all_elements, bands, tasks);
    for (int64_t p = 0; p < band_elements; ++p) {
      mine[p] = 0;
      for (int m = 0; m < models; ++m) mine[p] += weights[m] / sum_of_weights * all[m * band_elements + p];
    }
    lapwing_array_allgather(mine, band_elements, one_band, mean, n, rows, tasks);

    for (int m = 0; m < models; ++m) far[m] = 0;
    for (int64_t p = 0; p < n; ++p) {
      lapwing_distribution_index(rows, rank, p, index);
      far[index[0] / band] = fmax(far[index[0] / band], fabs(mean[p] - field[p]));
      field[p] += 0.25 * (mean[p] - field[p]);
    }
    /* All processes of a task have plain arguments alike. */
    MPI_Allreduce(MPI_IN_PLACE, far, models, MPI_DOUBLE, MPI_MAX, lapwing_tasks_comm(tasks));
    lapwing_tasks_alltoall(far, reported, 1, MPI_DOUBLE, tasks);
    for (int m = 0; m < models && rank == 0; ++m) checksum += reported[m] * (3 * model + m + 1);
  }

  for (int64_t p = 0; p < n; ++p) {
    lapwing_distribution_index(rows, rank, p, index);
    checksum += (model + 1) * field[p] * (double)((index[0] + 2 * index[1]) % 7 + 1);
  }
  MPI_Reduce(&checksum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (world_rank == 0)
    printf("ensemble: %d models of %lld x %lld, %d steps, checksum %.6E\n", models,
           (long long)(models * band), (long long)columns, steps, total);
  free(field);
  free(mean);
  free(all);
  free(mine);
  lapwing_distribution_free(&rows);
  lapwing_distribution_free(&bands);
  lapwing_distribution_free(&one_band);
  lapwing_tasks_free(&tasks);
  MPI_Finalize();
  return 0;
}
