/* SPDX-License-Identifier: Apache-2.0
 * The step as most are written: transform all planes, pack, exchange, transform the third axis. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fft/fft.h"

const char* const fft_variant = "plain";

uint64_t fft_run(const fft_task* task, fft_complex* slab) {
  const int n = task->n, mine = n / task->ranks, first = task->rank * mine;
  const size_t part = (size_t)mine * n,
               block = mine * part; /* of a plane, and of all planes, for one process */
  const double scale = 1.0 / sqrt((double)n);
  fft_complex *out = malloc(sizeof *out * block * task->ranks),
              *in = malloc(sizeof *in * block * task->ranks);
  if (!out || !in) kernel_fail("fft", "not enough memory for this class.");
  uint64_t received = 0;

  for (int step = 0; step < task->steps; ++step) {
    for (int x = 0; x < mine; ++x) fft_plane(task, step, first + x, scale, slab + (size_t)x * n * n);
    for (int to = 0; to < task->ranks; ++to)
      for (int x = 0; x < mine; ++x)
        memcpy(out + to * block + x * part, slab + (size_t)x * n * n + to * part, sizeof *out * part);
    if (task->spoil && step == 0) out[block * task->ranks - 1].re += 0.5;
    MPI_Alltoall(out, (int)(2 * block), MPI_DOUBLE, in, (int)(2 * block), MPI_DOUBLE, MPI_COMM_WORLD);
    const uint64_t sum = fft_third_axis(task, scale, in, slab);
    received = (received ^ sum) * 0x100000001b3ULL;
  }
  free(out), free(in);
  return received;
}
