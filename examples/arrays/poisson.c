/* SPDX-License-Identifier: Apache-2.0
 *
 * Poisson's equation in a periodic box, by Fourier transforms: in the frequencies it is
 * a division. FFTW 3 makes the serial transforms, where it is installed.
 *
 *   mpiexec -n 4 poisson_c [N]        any number of processes
 */
#include <complex.h>
#include <lapwing/arrays.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t n;

/* Slabs of one of the first two dimensions. */
static lapwing_distribution* slabs(int divided, int processes) {
  struct lapwing_dimension dimensions[3] = {lapwing_collapsed(n), lapwing_collapsed(n), lapwing_collapsed(n)};
  const struct lapwing_grid grid = {1, &processes, LAPWING_ROW_MAJOR, NULL};
  lapwing_distribution* made;
  dimensions[divided] = lapwing_block(n, processes, 0);
  lapwing_distribution_create(LAPWING_COMPLEX128, 3, dimensions, &grid, LAPWING_ROW_MAJOR, NULL, &made);
  return made;
}

static int64_t room(const lapwing_distribution* array, int rank) {
  struct lapwing_local_part part;
  lapwing_distribution_local(array, rank, &part, NULL, NULL, NULL);
  return part.allocated;
}

static double wave(int64_t index) { return (double)(2 * index > n ? index - n : index); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  n = argc > 1 ? atoi(argv[1]) : 24;
  lapwing_tasks* tasks;
  lapwing_tasks_create(MPI_COMM_WORLD, 0, &tasks);
  const int rank = lapwing_tasks_process_rank(tasks), processes = lapwing_tasks_processes(tasks, 0);
  /* The frequencies in slabs of the second dimension: that saves a redistribution. */
  lapwing_distribution *field = slabs(0, processes), *waves = slabs(1, processes);
  lapwing_fft* plan;
  lapwing_fft_create(field, waves, 0, NULL, tasks, &plan);

  const int64_t here = room(field, rank), there = room(waves, rank);
  double complex *f = calloc((size_t)here + 1, sizeof *f), *u = calloc((size_t)here + 1, sizeof *u);
  double complex *solution = calloc((size_t)here + 1, sizeof *solution),
                 *spectrum = calloc((size_t)there + 1, sizeof *spectrum);
  int64_t at[3];
  for (int64_t p = 0; p < here; ++p) {
    if (lapwing_distribution_index(field, rank, p, at) != 0) continue;
    const double step = 2 * acos(-1) / (double)n;
    const double x = step * (double)at[0], y = step * (double)at[1], z = step * (double)at[2];
    solution[p] = sin(x) * cos(2 * y) + cos(3 * z) * sin(y);
    f[p] = 5 * sin(x) * cos(2 * y) + 10 * cos(3 * z) * sin(y); /* minus the Laplacian of the solution */
  }

  lapwing_fft_forward(plan, f, here, spectrum, there);
  for (int64_t p = 0; p < there; ++p) {
    if (lapwing_distribution_index(waves, rank, p, at) != 0) continue;
    const double square = wave(at[0]) * wave(at[0]) + wave(at[1]) * wave(at[1]) + wave(at[2]) * wave(at[2]);
    spectrum[p] = square > 0 ? spectrum[p] / square : 0;
  }
  lapwing_fft_backward(plan, spectrum, there, u, here);

  double error = 0, largest = 0;
  for (int64_t p = 0; p < here; ++p) error = fmax(error, cabs(u[p] - solution[p]));
  MPI_Reduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("poisson: %d x %d x %d, error %.1E\n", (int)n, (int)n, (int)n, largest);

  lapwing_fft_free(&plan);
  lapwing_distribution_free(&field);
  lapwing_distribution_free(&waves);
  lapwing_tasks_free(&tasks);
  free(f), free(u), free(solution), free(spectrum);
  MPI_Finalize();
  return 0;
}
