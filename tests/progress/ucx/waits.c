/* SPDX-License-Identifier: Apache-2.0
 * waits LIBRARY-A LIBRARY-B NAMES: the definition of ucp_worker_progress that runs before those of the two
 * transports hands each look to the caller's transport, returns what it found, and yields as
 * progress/yields.hpp says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "worker.h"

typedef unsigned Look(struct worker*);

static unsigned yields;
static int others_run;

/* In the place of libc's: another thread runs for 20 us, or none does. */
__attribute__((visibility("default"))) int sched_yield(void) {
  struct timespec begin, now;
  ++yields;
  if (!others_run) return 0;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < 20000);
  return 0;
}

static Look* load(const char* path) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  Look* look = handle ? (Look*)dlsym(handle, "look") : NULL;
  if (!look) {
    fprintf(stderr, "%s\n", dlerror());
    exit(2);
  }
  return look;
}

static unsigned yields_of(Look* look, unsigned looks) {
  struct worker worker = {0, 0, 0};
  yields = 0;
  for (unsigned i = 0; i < looks; ++i) look(&worker);
  return yields;
}

static int failures;
static void expect(int holds, const char* sentence, unsigned value) {
  if (holds) return;
  fprintf(stderr, "not so: %s (%u)\n", sentence, value);
  ++failures;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  Look* looks[2] = {load(argv[1]), load(argv[2])};
  const int off = getenv("LAPWING") != NULL;
  struct worker worker = {0, 0, 7};
  for (int turn = 0; turn < 4; ++turn) {
    expect(looks[turn % 2](&worker) == 7, "a look returns what it has found", worker.events);
    expect(worker.looked == argv[3][turn % 2], "the transport that the file sees looks",
           (unsigned)worker.looked);
  }
  expect(worker.looks == 4, "each call is one look", worker.looks);
  worker.events = 1;
  yields = 0;
  for (int i = 0; i < 100000; ++i) looks[0](&worker);
  expect(yields == 0, "looks that find something do not yield", yields);

  unsigned seen = yields_of(looks[0], 100000);
  if (off) {
    expect(seen == 0, "with LAPWING=off nothing yields", seen);
    return failures != 0;
  }
  expect(seen >= 1 && seen < 60, "yields that return at once become rare", seen);
  others_run = 1;
  yields_of(looks[0], 10000);
  seen = yields_of(looks[0], 8000);
  expect(seen > 900 && seen <= 1001, "while others run, each eighth look yields", seen);
  others_run = 0;
  yields_of(looks[1], 20000);
  seen = yields_of(looks[1], 100000);
  expect(seen < 60, "yields become rare again", seen);
  return failures != 0;
}
