/* SPDX-License-Identifier: Apache-2.0
 * fft_plain rewritten by hand: planes are sent a few at a time, by MPI_Ialltoall, while the next ones are
 * transformed, with a look after the messages between planes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fft/fft.h"

const char* const fft_variant = "hand";

/* What has come in groups of `most` planes is put in place in its order, and then transformed along the third
 * axis. Here and below: the sum of what was received. */
static uint64_t third_axis_in_order(const fft_task* task, int most, double scale, const fft_complex* in,
                                    fft_complex* slab) {
  const int n = task->n, mine = n / task->ranks;
  const size_t part = (size_t)mine * n;
  uint64_t sum = 0;
  for (int begin = 0; begin < mine; begin += most) {
    const int planes = begin + most < mine ? most : mine - begin;
    for (int from = 0; from < task->ranks; ++from)
      sum += fft_place(task, in + ((size_t)begin * task->ranks + (size_t)from * planes) * part, from, begin,
                       planes, slab);
  }
  fft_lines(task, scale, slab);
  return sum;
}

/* Each line is gathered across the groups and transformed at once. */
static uint64_t third_axis_across(const fft_task* task, int most, double scale, const fft_complex* in,
                                  fft_complex* slab) {
  const int n = task->n, mine = n / task->ranks, first = task->rank * mine;
  const size_t part = (size_t)mine * n;
  uint64_t sum = 0;
  for (int y = 0; y < mine; ++y)
    for (int z = 0; z < n; ++z) {
      fft_complex* line = slab + ((size_t)y * n + z) * n;
      for (int begin = 0; begin < mine; begin += most) {
        const int planes = begin + most < mine ? most : mine - begin;
        const fft_complex* group = in + (size_t)begin * part * task->ranks + (size_t)y * n + z;
        for (int from = 0; from < task->ranks; ++from)
          for (int k = 0; k < planes; ++k) {
            const int x = from * mine + begin + k;
            line[x] = group[(from * (size_t)planes + k) * part];
            if (from != task->rank) sum += fft_seen(line[x], ((uint64_t)x * n + first + y) * n + z);
          }
      }
      fft_line(n, task->roots, scale, line);
    }
  return sum;
}

uint64_t fft_run(const fft_task* task, fft_complex* slab) {
  const int n = task->n, mine = n / task->ranks, first = task->rank * mine;
  const int slabs = task->slabs < mine ? task->slabs : mine, most = (mine + slabs - 1) / slabs;
  const size_t part = (size_t)mine * n, block = mine * part;
  const double scale = 1.0 / sqrt((double)n);
  fft_complex *out = malloc(sizeof *out * block * task->ranks),
              *in = malloc(sizeof *in * block * task->ranks);
  MPI_Request* requests = malloc(sizeof *requests * slabs);
  if (!out || !in || !requests) kernel_fail("fft", "not enough memory for this class.");
  uint64_t received = 0;

  for (int step = 0; step < task->steps; ++step) {
    /* out and in hold one group of planes after the other, each as [process][x][y][z]. */
    int started = 0;
    for (int begin = 0; begin < mine; begin += most, ++started) {
      const int planes = begin + most < mine ? most : mine - begin;
      fft_complex* group = out + (size_t)begin * part * task->ranks;
      for (int x = 0; x < planes; ++x) {
        int flag;
        fft_plane(task, step, first + begin + x, scale, slab + (size_t)(begin + x) * n * n);
        for (int to = 0; to < task->ranks; ++to)
          memcpy(group + (to * (size_t)planes + x) * part, slab + (size_t)(begin + x) * n * n + to * part,
                 sizeof *out * part);
        MPI_Testall(started, requests, &flag, MPI_STATUSES_IGNORE);
      }
      if (task->spoil && step == 0 && begin + planes == mine)
        group[planes * part * task->ranks - 1].re += 0.5;
      MPI_Ialltoall(group, (int)(2 * planes * part), MPI_DOUBLE, in + (size_t)begin * part * task->ranks,
                    (int)(2 * planes * part), MPI_DOUBLE, MPI_COMM_WORLD, &requests[started]);
    }
    MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);

    const uint64_t sum = task->in_order ? third_axis_in_order(task, most, scale, in, slab)
                                        : third_axis_across(task, most, scale, in, slab);
    received = (received ^ sum) * 0x100000001b3ULL;
  }
  free(out), free(in), free(requests);
  return received;
}
