/* SPDX-License-Identifier: Apache-2.0
 * sort_plain rewritten by hand: keys are sent in portions, by MPI_Ialltoallv, while the next portion is made,
 * with looks after the messages. */
#include <stdlib.h>
#include <string.h>

#include "sort/sort.h"

const char* const sort_variant = "hand";

enum { ONE_PORTION = 1, TAG = 7 };

typedef struct portion {
  int sends[SORT_MOST_RANKS], at[SORT_MOST_RANKS], comes[SORT_MOST_RANKS], from[SORT_MOST_RANKS];
} portion;

/* What the parts of a portion hold is counted, the own one first. `requests`: where each part is waited for
 * by itself. */
static uint64_t count_portion(const sort_task* task, const portion* p, const int* in, MPI_Request* requests,
                              int* count) {
  uint64_t sum = 0;
  for (int i = 0; i < task->ranks; ++i) {
    const int k = (task->rank + i) % task->ranks;
    if (requests) MPI_Wait(&requests[2 * k], MPI_STATUS_IGNORE);
    sum += sort_count(in + p->from[k], p->comes[k], task->rank * task->range, count, k == task->rank);
  }
  return sum;
}

/* One portion alone has nothing to be overlapped with but messages of others: it goes process by process, and
 * what one has sent is counted while those of others travel. */
static void start_messages(const sort_task* task, const portion* p, const int* out, int* in,
                           MPI_Request* requests) {
  int* own = in + p->from[task->rank];
  memcpy(own, out + p->at[task->rank], sizeof *own * p->sends[task->rank]);
  for (int k = 0; k < task->ranks; ++k) {
    requests[2 * k] = requests[2 * k + 1] = MPI_REQUEST_NULL;
    if (k == task->rank) continue;
    MPI_Irecv(in + p->from[k], p->comes[k], MPI_INT, k, TAG, MPI_COMM_WORLD, &requests[2 * k]);
    MPI_Isend(out + p->at[k], p->sends[k], MPI_INT, k, TAG, MPI_COMM_WORLD, &requests[2 * k + 1]);
  }
}

static uint64_t count_messages(const sort_task* task, const portion* p, const int* in, MPI_Request* requests,
                               int* count) {
  const uint64_t sum = count_portion(task, p, in, requests, count);
  MPI_Waitall(2 * task->ranks, requests, MPI_STATUSES_IGNORE);
  return sum;
}

uint64_t sort_run(const sort_task* task, uint64_t* received) {
  const int keys = task->keys, range = task->range, ranks = task->ranks, all = range * ranks;
  const int most = (keys + task->slabs - 1) / task->slabs;
  const uint64_t first = (uint64_t)task->rank * (uint64_t)keys;
  int *key = malloc(sizeof *key * keys), *out = malloc(sizeof *out * keys),
      *in = malloc(sizeof *in * task->room);
  int* count = malloc(sizeof *count * range);
  portion* portions = calloc(task->slabs, sizeof *portions);
  const bool one_portion = task->slabs == ONE_PORTION;
  MPI_Request* requests = malloc(sizeof *requests * (one_portion ? 2 * ranks : task->slabs));
  if (!key || !out || !in || !count || !portions || !requests)
    kernel_fail("sort", "not enough memory for this class.");
  uint64_t told = 0;

  for (int round = 0; round < task->rounds; ++round) {
    int started = 0, total = 0;
    for (int begin = 0; begin < keys; begin += most, ++started) {
      const int end = begin + most < keys ? begin + most : keys, looks = (end - begin) / 4 + 1;
      portion* p = &portions[started];
      int place[SORT_MOST_RANKS];
      memset(p->sends, 0, sizeof p->sends);
      for (int i = begin; i < end; ++i) {
        key[i] = sort_key(first + (uint64_t)i, round, task->work, all);
        ++p->sends[key[i] / range];
        if ((i - begin) % looks == 0) {
          int flag;
          MPI_Testall(started, requests, &flag, MPI_STATUSES_IGNORE);
        }
      }
      for (int to = 0, sum = begin; to < ranks; sum += p->sends[to++]) p->at[to] = place[to] = sum;
      for (int i = begin; i < end; ++i) out[place[key[i] / range]++] = key[i];
      MPI_Alltoall(p->sends, 1, MPI_INT, p->comes, 1, MPI_INT, MPI_COMM_WORLD);
      for (int k = 0; k < ranks; total += p->comes[k++]) p->from[k] = total;
      if (total > task->room) kernel_fail("sort", "a process receives more keys than it has room for.");
      if (task->spoil && round == 0 && begin == 0) out[p->at[ranks - 1]] ^= 1;
      if (one_portion)
        start_messages(task, p, out, in, requests);
      else
        MPI_Ialltoallv(out, p->sends, p->at, MPI_INT, in, p->comes, p->from, MPI_INT, MPI_COMM_WORLD,
                       &requests[started]);
    }
    memset(count, 0, sizeof *count * range);
    uint64_t sum = 0;
    if (one_portion) sum = count_messages(task, &portions[0], in, requests, count);
    for (int s = 0; !one_portion && s < started; ++s) {
      MPI_Wait(&requests[s], MPI_STATUS_IGNORE);
      sum += count_portion(task, &portions[s], in, NULL, count);
    }
    *received = (*received ^ sum) * 0x100000001b3ULL;
    told += sort_rank(task, round, total, count);
  }
  free(key), free(out), free(in), free(count), free(portions), free(requests);
  return told;
}
