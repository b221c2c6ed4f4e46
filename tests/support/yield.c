/* SPDX-License-Identifier: Apache-2.0
 * MPICH over UCX keeps its core while it waits. Tests run more ranks than there are cores, so the rank that
 * is waited for would get one only at the next tick of the scheduler. This gives the core up, as Open MPI
 * does where mpi_yield_when_idle is set. Preloaded by tests only; it comes before libucp, whose function it
 * calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

enum { looks = 50 }; /* in vain, a few microseconds */

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
