/* SPDX-License-Identifier: Apache-2.0
 * The steps one part after the other, each timed. All transforms count as what could be done meanwhile: those
 * of the planes while earlier planes travel, those of the third axis while later strips do. Packing is the
 * rest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fft/fft.h"

uint64_t fft_run_limit(const fft_task* task, fft_complex* slab, kernel_phases* phases) {
  const int n = task->n, mine = n / task->ranks, first = task->rank * mine;
  const size_t part = (size_t)mine * n, block = mine * part;
  const double scale = 1.0 / sqrt((double)n);
  fft_complex *out = malloc(sizeof *out * block * task->ranks),
              *in = malloc(sizeof *in * block * task->ranks);
  if (!out || !in) kernel_fail("fft", "not enough memory for this class.");
  uint64_t received = 0;
  *phases = (kernel_phases){0, 0, 0, 0};

  for (int step = 0; step < task->steps; ++step) {
    const double begin = MPI_Wtime();
    for (int x = 0; x < mine; ++x) fft_plane(task, step, first + x, scale, slab + (size_t)x * n * n);
    const double planes = MPI_Wtime();
    for (int to = 0; to < task->ranks; ++to)
      for (int x = 0; x < mine; ++x)
        memcpy(out + to * block + x * part, slab + (size_t)x * n * n + to * part, sizeof *out * part);
    const double packed = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    const double ready = MPI_Wtime();
    MPI_Alltoall(out, (int)(2 * block), MPI_DOUBLE, in, (int)(2 * block), MPI_DOUBLE, MPI_COMM_WORLD);
    const double arrived = MPI_Wtime();
    const uint64_t sum = fft_third_axis(task, scale, in, slab);
    received = (received ^ sum) * 0x100000001b3ULL;
    const double compute = planes - begin + MPI_Wtime() - arrived, transfer = arrived - ready;
    phases->compute += compute;
    phases->transfer += transfer;
    phases->rest += packed - planes;
    phases->limit += packed - planes + (compute > transfer ? compute : transfer);
  }
  free(out), free(in);
  return received;
}
