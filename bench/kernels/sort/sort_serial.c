/* SPDX-License-Identifier: Apache-2.0
 * All keys on one rank, counted in the order in which they are made. */
#include <stdlib.h>
#include <string.h>

#include "sort/sort.h"

uint64_t sort_run_serial(const sort_task* task) {
  const int all = task->range * task->ranks;
  const uint64_t keys = (uint64_t)task->keys * (uint64_t)task->ranks;
  uint64_t *smaller = malloc(sizeof *smaller * ((size_t)all + 1)), told = 0;
  if (!smaller) kernel_fail("sort", "not enough memory for this class.");
  for (int round = 0; round < task->rounds; ++round) {
    memset(smaller, 0, sizeof *smaller * ((size_t)all + 1));
    for (uint64_t i = 0; i < keys; ++i) ++smaller[sort_key(i, round, task->work, all) + 1];
    for (int v = 0; v < all; ++v) {
      told += sort_told(round, v, smaller[v]);
      smaller[v + 1] += smaller[v];
    }
  }
  free(smaller);
  return told;
}
