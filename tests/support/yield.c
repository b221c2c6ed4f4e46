/* SPDX-License-Identifier: Apache-2.0
 * Ranks of tests give their cores up while they wait. Tests run more ranks than there are cores, and some
 * ranks wait for seconds, as those of jobs that can never go on. Preloaded by tests only.
 *
 * MPICH over UCX keeps its core while it waits; here it yields, as Open MPI does where mpi_yield_when_idle is
 * set. This library comes before libucp, whose function it calls.
 *
 * A thread that does nothing but yield for some milliseconds sleeps between its looks: yielding gives a core
 * to a rank that can run, but keeps it from tests that run beside. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { looks = 50 };                                          /* in vain, a few microseconds */
static const int64_t patience = 5000000, other_work = 100000; /* nanoseconds */
static const struct timespec nap = {0, 200000};

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

__attribute__((visibility("default"))) int sched_yield(void) {
  static __thread int64_t since, last; /* the first and the last of the calls with nothing between them */
  const int64_t called = now();
  if (called - last > other_work) since = called;
  if (called - since > patience) {
    nanosleep(&nap, NULL);
  } else {
    syscall(SYS_sched_yield);
  }
  last = now();
  return 0;
}

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  static unsigned (*next)(void*);
  static __thread int in_vain;
  if (next == NULL) next = (unsigned (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_progress");
  /* A program in Python has loaded its MPI for itself alone. */
  if (next == NULL)
    next = (unsigned (*)(void*))dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");
  const unsigned moved = next(worker);
  if (moved > 0 || ++in_vain == looks) {
    if (moved == 0) sched_yield();
    in_vain = 0;
  }
  return moved;
}
