/* SPDX-License-Identifier: Apache-2.0
 * The round as most are written: make, arrange, exchange, count. */
#include <stdlib.h>
#include <string.h>

#include "sort/sort.h"

const char* const sort_variant = "plain";

uint64_t sort_run(const sort_task* task, uint64_t* received) {
  const int keys = task->keys, range = task->range, ranks = task->ranks, all = range * ranks;
  const uint64_t first = (uint64_t)task->rank * (uint64_t)keys;
  int *key = malloc(sizeof *key * keys), *out = malloc(sizeof *out * keys),
      *in = malloc(sizeof *in * task->room);
  int* count = malloc(sizeof *count * range);
  if (!key || !out || !in || !count) kernel_fail("sort", "not enough memory for this class.");
  uint64_t told = 0;

  for (int round = 0; round < task->rounds; ++round) {
    int sends[SORT_MOST_RANKS] = {0}, at[SORT_MOST_RANKS], place[SORT_MOST_RANKS];
    int comes[SORT_MOST_RANKS], from[SORT_MOST_RANKS], total = 0;
    for (int i = 0; i < keys; ++i) {
      key[i] = sort_key(first + (uint64_t)i, round, task->work, all);
      ++sends[key[i] / range];
    }
    for (int to = 0, sum = 0; to < ranks; sum += sends[to++]) at[to] = place[to] = sum;
    for (int i = 0; i < keys; ++i) out[place[key[i] / range]++] = key[i];
    MPI_Alltoall(sends, 1, MPI_INT, comes, 1, MPI_INT, MPI_COMM_WORLD);
    for (int k = 0; k < ranks; total += comes[k++]) from[k] = total;
    if (total > task->room) kernel_fail("sort", "a process receives more keys than it has room for.");
    if (task->spoil && round == 0) out[at[ranks - 1]] ^= 1;
    MPI_Alltoallv(out, sends, at, MPI_INT, in, comes, from, MPI_INT, MPI_COMM_WORLD);

    memset(count, 0, sizeof *count * range);
    uint64_t sum = 0;
    for (int k = 0; k < ranks; ++k)
      sum += sort_count(in + from[k], comes[k], task->rank * range, count, k == task->rank);
    *received = (*received ^ sum) * 0x100000001b3ULL;
    told += sort_rank(task, round, total, count);
  }
  free(key), free(out), free(in), free(count);
  return told;
}
