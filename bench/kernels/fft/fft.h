/* SPDX-License-Identifier: Apache-2.0
 * fft: steps of a spectral method on a cube of n * n * n complex numbers, each a change of phase and a
 * three-dimensional Fourier transform. The cube is cut into slabs along its first axis. A step transforms the
 * planes of the slab, sends each process its part of every plane (MPI_Alltoall), and transforms the third
 * axis straight from the received layout, as HUNT's FFT does (section 8). The axes are then rotated: what was
 * second is first. Each line is transformed by one process, so every number of ranks gives the same bits. */
#ifndef LAPWING_BENCH_FFT_H
#define LAPWING_BENCH_FFT_H

#include <stddef.h>

#include "support/kernel.h"

typedef struct fft_complex {
  double re, im;
} fft_complex;

typedef struct fft_task {
  int n, ranks, rank, steps, work, slabs;
  bool spoil, in_order;
  const fft_complex* roots; /* n of them: exp(-2 pi i k / n) */
} fft_task;

enum { FFT_MOST = 256 };

/* The transform of one line of n = 2^k numbers, scaled by n^-1/2; Stockham's, so no reversal of bits. */
static inline void fft_line(int n, const fft_complex* restrict roots, double scale, fft_complex* line) {
  fft_complex other[FFT_MOST], *from = line, *to = other;
  for (int half = n / 2, stride = 1; half >= 1; half /= 2, stride *= 2) {
    for (int j = 0; j < half; ++j) {
      const fft_complex w = roots[j * stride];
      for (int k = 0; k < stride; ++k) {
        const fft_complex a = from[k + j * stride], b = from[k + j * stride + half * stride];
        const fft_complex d = {a.re - b.re, a.im - b.im};
        to[k + 2 * j * stride] = (fft_complex){a.re + b.re, a.im + b.im};
        to[k + 2 * j * stride + stride] = (fft_complex){d.re * w.re - d.im * w.im, d.re * w.im + d.im * w.re};
      }
    }
    fft_complex* swap = from;
    from = to;
    to = swap;
  }
  for (int k = 0; k < n; ++k) line[k] = (fft_complex){from[k].re * scale, from[k].im * scale};
}

/* The change of phase of one plane with the first index x, `work` times, and its transform along both axes.
 */
static inline void fft_plane(const fft_task* task, int step, int x, double scale, fft_complex* plane) {
  const int n = task->n;
  const fft_complex* roots = task->roots;
  for (int y = 0; y < n; ++y) {
    fft_complex* row = plane + (size_t)y * n;
    for (int k = 0; k < task->work; ++k)
      for (int z = 0; z < n; ++z) {
        const fft_complex w = roots[(x * y + z + step + k) & (n - 1)], v = row[z];
        row[z] = (fft_complex){v.re * w.re - v.im * w.im, v.re * w.im + v.im * w.re};
      }
    fft_line(n, roots, scale, row);
  }
  for (int z = 0; z < n; ++z) {
    fft_complex line[FFT_MOST];
    for (int y = 0; y < n; ++y) line[y] = plane[(size_t)y * n + z];
    fft_line(n, roots, scale, line);
    for (int y = 0; y < n; ++y) plane[(size_t)y * n + z] = line[y];
  }
}

/* The part of the checksum of what was received that one number has: by its place, in whatever order it came.
 */
static inline uint64_t fft_seen(fft_complex v, uint64_t place) {
  return (kernel_bits(v.re) + 3 * kernel_bits(v.im)) * (2 * place + 1);
}

/* Puts planes of one process in place, in their order, as NAS FT's transposition does: in[x][y][z], and slab
 * is [y][z][x]. Gives their share of the checksum of what was received. */
static inline uint64_t fft_place(const fft_task* task, const fft_complex* restrict in, int from, int begin,
                                 int planes, fft_complex* restrict slab) {
  enum { LINE = 4 }; /* numbers of a cache line */
  const int n = task->n, mine = n / task->ranks, first = task->rank * mine;
  const size_t part = (size_t)mine * n;
  const size_t place = (size_t)from * mine + begin;
  uint64_t sum = 0;
  for (int block = 0; block < planes; block += LINE)
    for (size_t i = 0; i < part; ++i)
      for (int x = block; x < planes && x < block + LINE; ++x) {
        const fft_complex v = in[x * part + i];
        slab[i * n + place + x] = v;
        if (from != task->rank) sum += fft_seen(v, ((place + x) * n + first) * n + i);
      }
  return sum;
}

static inline void fft_lines(const fft_task* task, double scale, fft_complex* slab) {
  const size_t lines = (size_t)task->n / task->ranks * task->n;
  for (size_t line = 0; line < lines; ++line) fft_line(task->n, task->roots, scale, slab + line * task->n);
}

/* The transform of the third axis, straight from what was received: in[from][x][y][z], x and y counted from
 * the blocks' beginnings. slab becomes [y][z][x]; gives the checksum of what other processes sent. */
static inline uint64_t fft_third_axis(const fft_task* task, double scale, const fft_complex* restrict in,
                                      fft_complex* restrict slab) {
  const int n = task->n, mine = n / task->ranks, first = task->rank * mine;
  const size_t part = (size_t)mine * n;
  uint64_t sum = 0;
  if (task->in_order) {
    for (int from = 0; from < task->ranks; ++from)
      sum += fft_place(task, in + from * (size_t)mine * part, from, 0, mine, slab);
    fft_lines(task, scale, slab);
    return sum;
  }
  for (int y = 0; y < mine; ++y)
    for (int z = 0; z < n; ++z) {
      fft_complex* line = slab + ((size_t)y * n + z) * n;
      for (int x = 0; x < n; ++x) {
        line[x] = in[x * part + (size_t)y * n + z];
        if (x / mine != task->rank) sum += fft_seen(line[x], ((uint64_t)x * n + first + y) * n + z);
      }
      fft_line(n, task->roots, scale, line);
    }
  return sum;
}

/* The first value of a number. */
static inline fft_complex fft_start(uint64_t place) {
  return (fft_complex){kernel_random(2 * place) - 0.5, kernel_random(2 * place + 1) - 0.5};
}

/* The version of this program: plain or by hand. slab holds n / ranks planes and is replaced by the result;
 * gives the checksum of what was received. */
extern const char* const fft_variant;
uint64_t fft_run(const fft_task*, fft_complex* slab);

/* The plain step with a clock at every seam. */
uint64_t fft_run_limit(const fft_task*, fft_complex* slab, kernel_phases*);

/* The whole cube on one rank; gives the checksum. */
uint64_t fft_run_serial(const fft_task*);

#endif
