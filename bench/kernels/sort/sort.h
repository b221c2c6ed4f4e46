/* SPDX-License-Identifier: Apache-2.0
 * sort: rounds of a bucket sort of whole numbers, as HUNT's (section 8) and the integer sort of the NAS
 * benchmarks. Each process makes its keys, arranges them by the process whose range they are in, sends them
 * there (MPI_Alltoallv), and counts what it has received. The order in which keys come changes no bit. */
#ifndef LAPWING_BENCH_SORT_H
#define LAPWING_BENCH_SORT_H

#include <stddef.h>

#include "support/kernel.h"

enum { SORT_MOST_RANKS = 8, SORT_MOST_ROUNDS = 64 };

typedef struct sort_task {
  int keys;  /* of each process */
  int range; /* of each process: it sorts [rank * range, (rank + 1) * range) */
  int room;  /* for what a process can receive */
  int ranks, rank, rounds, work, slabs;
  bool spoil;
} sort_task;

/* Key number `place` of a round: `work` mixes, so that making keys costs what the user wants. */
static inline int sort_key(uint64_t place, int round, int work, int all) {
  uint64_t z = place * SORT_MOST_ROUNDS + (uint64_t)round + 1;
  for (int k = 0; k < work; ++k) z = kernel_mix(z + 0x9e3779b97f4a7c15ULL);
  return (int)(z >> 33) & (all - 1); /* all is a power of two */
}

/* The share of a value in the checksum: how many keys of all are smaller. */
static inline uint64_t sort_told(int round, int value, uint64_t smaller) {
  return kernel_mix(smaller +
                    ((uint64_t)value * SORT_MOST_ROUNDS + (uint64_t)round + 1) * 0x9e3779b97f4a7c15ULL);
}

/* The part of the checksum of what was received that one key has. */
static inline uint64_t sort_seen(int key) { return (uint64_t)key * (uint64_t)key + 3 * (uint64_t)key + 1; }

/* How many keys there are of each value; adds up what came from others. */
static inline uint64_t sort_count(const int* key, int keys, int first, int* count, bool own) {
  uint64_t sum = 0;
  for (int i = 0; i < keys; ++i) ++count[key[i] - first];
  if (!own)
    for (int i = 0; i < keys; ++i) sum += sort_seen(key[i]);
  return sum;
}

/* Where each value of the process's range begins among all sorted keys: its share of the checksum.
 * Communicates. */
static inline uint64_t sort_rank(const sort_task* task, int round, int received, const int* count) {
  long long mine = received, before = 0;
  MPI_Exscan(&mine, &before, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  uint64_t told = 0, smaller = task->rank == 0 ? 0 : (uint64_t)before;
  for (int v = 0; v < task->range; smaller += (uint64_t)count[v++])
    told += sort_told(round, task->rank * task->range + v, smaller);
  return told;
}

/* The version of this program: plain or by hand. Gives this process's share of the checksum of all rounds. */
extern const char* const sort_variant;
uint64_t sort_run(const sort_task*, uint64_t* received);

/* The plain round with a clock at every seam. */
uint64_t sort_run_limit(const sort_task*, uint64_t* received, kernel_phases*);

/* All keys on one rank; gives the checksum. */
uint64_t sort_run_serial(const sort_task*);

#endif
