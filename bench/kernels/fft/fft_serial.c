/* SPDX-License-Identifier: Apache-2.0
 * The whole cube on one rank: each axis in its place, and the axes renamed only where the checksum asks. */
#include <math.h>
#include <stdlib.h>

#include "fft/fft.h"

/* Transforms all lines along an axis; the strides of the two others follow. */
static void along(const fft_task* task, double scale, fft_complex* cube, size_t stride, size_t a, size_t b) {
  const int n = task->n;
  fft_complex line[FFT_MOST];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      fft_complex* begin = cube + i * a + j * b;
      for (int k = 0; k < n; ++k) line[k] = begin[k * stride];
      fft_line(n, task->roots, scale, line);
      for (int k = 0; k < n; ++k) begin[k * stride] = line[k];
    }
}

uint64_t fft_run_serial(const fft_task* task) {
  const int n = task->n;
  const size_t all = (size_t)n * n * n;
  const double scale = 1.0 / sqrt((double)n);
  fft_complex* cube = malloc(sizeof *cube * all);
  if (!cube) kernel_fail("fft", "not enough memory for this class.");
  for (size_t i = 0; i < all; ++i) cube[i] = fft_start(i);
  size_t x = (size_t)n * n, y = n, z = 1; /* the strides of the first, second and third axis */
  for (int step = 0; step < task->steps; ++step) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) {
          fft_complex* v = cube + i * x + j * y + k * z;
          for (int more = 0; more < task->work; ++more) {
            const fft_complex w = task->roots[(i * j + k + step + more) & (n - 1)], before = *v;
            v->re = before.re * w.re - before.im * w.im;
            v->im = before.re * w.im + before.im * w.re;
          }
        }
    along(task, scale, cube, z, x, y);
    along(task, scale, cube, y, x, z);
    along(task, scale, cube, x, y, z);
    const size_t first = x;
    x = y, y = z, z = first;
  }
  uint64_t checksum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        const fft_complex v = cube[i * x + j * y + k * z];
        const uint64_t place = ((uint64_t)i * n + j) * n + k;
        checksum += kernel_share(v.re, 2 * place) + kernel_share(v.im, 2 * place + 1);
      }
  free(cube);
  return checksum;
}
