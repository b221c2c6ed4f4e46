/* SPDX-License-Identifier: Apache-2.0
 *
 * Two-dimensional FFTs of a series of images (HPF/MPI, section 3.2): as one
 * data-parallel program that transposes among all its processes, or as a pipeline of
 * two tasks, of which the first transforms rows and the second columns.
 *
 *   mpiexec -n 4 fft2d parallel [N] [IMAGES]
 *   mpiexec -n 4 fft2d pipeline [N] [IMAGES]      N is a power of two
 */
#include <complex.h>
#include <lapwing/arrays.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Radix 2, in place. */
static void fft(double complex* x, int64_t n) {
  for (int64_t i = 1, j = 0; i < n; ++i) {
    int64_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      const double complex swapped = x[i];
      x[i] = x[j];
      x[j] = swapped;
    }
  }
  for (int64_t length = 2; length <= n; length *= 2) {
    const double angle = -2 * acos(-1.0) / (double)length;
    for (int64_t k = 0; k < length / 2; ++k) {
      const double complex w = cos(angle * (double)k) + I * sin(angle * (double)k);
      for (int64_t i = k; i < n; i += length) {
        const double complex a = x[i], b = w * x[i + length / 2];
        x[i] = a + b;
        x[i + length / 2] = a - b;
      }
    }
  }
}

static void fft_rows(double complex* rows, int64_t count, int64_t n) {
  for (int64_t row = 0; row < count; ++row) fft(rows + row * n, n);
}

/* Rows `first` and following of image `number`. */
static void read_image(double complex* rows, int64_t first, int64_t count, int64_t n, int number) {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < n; ++j)
      rows[i * n + j] =
          sin(0.1 * (double)((first + i + 1) * (number + 1))) + 0.5 * cos(0.3 * (double)(j + 1));
}

/* Of the transposed transform: row i of `rows` is column `first` + i of the transform. */
static double checksum(const double complex* rows, int64_t first, int64_t count, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < n; ++j)
      sum += cabs(rows[i * n + j]) * (double)((7 * j + 3 * (first + i)) % 11 + 1);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int pipeline = argc > 1 && strcmp(argv[1], "pipeline") == 0;
  const int64_t n = argc > 2 ? atoi(argv[2]) : 32;
  const int images = argc > 3 ? atoi(argv[3]) : 3;
  int all;
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  if (pipeline && all < 2) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
      fprintf(stderr, "usage: mpiexec -n 4 fft2d pipeline [N] [IMAGES], on 2 processes or more\n");
    MPI_Finalize();
    return 2;
  }
  const int sizes[2] = {pipeline ? all - all / 2 : all, all / 2};
  lapwing_tasks* tasks;
  lapwing_tasks_of_sizes(MPI_COMM_WORLD, pipeline ? 2 : 1, sizes, &tasks);
  const int task = lapwing_tasks_rank(tasks), rank = lapwing_tasks_process_rank(tasks);
  const int processes = lapwing_tasks_processes(tasks, task);

  /* Rows in blocks, and the same shape again for the transposed array. */
  const struct lapwing_dimension dimensions[2] = {lapwing_block(n, processes, 0), lapwing_collapsed(n)};
  const struct lapwing_grid grid = {1, &processes, LAPWING_ROW_MAJOR, NULL};
  lapwing_distribution *image, *transposed;
  lapwing_distribution_create(LAPWING_COMPLEX128, 2, dimensions, &grid, LAPWING_ROW_MAJOR, NULL, &image);
  const int64_t first[2] = {0, 0}, count[2] = {n, n};
  const int swap[2] = {1, 0};
  lapwing_distribution_section(image, first, count, NULL, swap, &transposed);
  struct lapwing_local_part part;
  int64_t mine[2], start[2] = {0, 0};
  lapwing_distribution_local(image, rank, &part, mine, NULL, NULL);
  if (part.elements > 0) lapwing_distribution_index(image, rank, 0, start);
  double complex* a = malloc((size_t)(part.allocated + 1) * sizeof *a);
  double complex* b = malloc((size_t)(part.allocated + 1) * sizeof *b);

  double sum = 0;
  for (int number = 0; number < images; ++number) {
    if (task == 0) {
      read_image(a, start[0], mine[0], n, number);
      fft_rows(a, mine[0], n);
    }
    if (!pipeline)
      lapwing_array_redistribute(a, part.allocated, image, b, part.allocated, transposed, tasks);
    else if (task == 0)
      lapwing_array_send(a, part.allocated, image, 1, number, tasks);
    else
      lapwing_array_recv(b, part.allocated, transposed, 0, number, tasks, NULL);
    if (!pipeline || task == 1) {
      fft_rows(b, mine[0], n);
      sum += checksum(b, start[0], mine[0], n);
    }
  }
  double total = 0;
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, lapwing_tasks_comm(tasks));
  if (rank == 0 && (!pipeline || task == 1))
    printf("fft2d: %d images of %lld x %lld, checksum %.6E\n", images, (long long)n, (long long)n, total);
  free(a);
  free(b);
  lapwing_distribution_free(&transposed);
  lapwing_distribution_free(&image);
  lapwing_tasks_free(&tasks);
  MPI_Finalize();
  return 0;
}
