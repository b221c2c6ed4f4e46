/* SPDX-License-Identifier: Apache-2.0
 *
 * Short-cutting: a result that one process finds ends the others' now needless
 * work at their next call of lapwing_shortcut_done(), without a barrier.
 *
 *   lapwing_shortcut* race = lapwing_shortcut_begin(comm, LAPWING_SHORTCUT_ANY);
 *   while (work_left && !lapwing_shortcut_done(race))
 *     if (look(&result)) { lapwing_shortcut_found(race, &result, sizeof result); break; }
 *   int finder = lapwing_shortcut_end(race, &result, sizeof result);
 */
#ifndef LAPWING_SHORTCUT_H
#define LAPWING_SHORTCUT_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lapwing_shortcut lapwing_shortcut;

enum {
  /** A process that finds ends the work of all. If several find before they hear of
   *  each other, the lowest rank's result is taken, by all. */
  LAPWING_SHORTCUT_ANY = 0,
  /** A process that finds ends the work of higher ranks only: the result is that of the
   *  lowest rank that finds any, whatever the timing, in every run. */
  LAPWING_SHORTCUT_LOWEST = 1
};

/** All members of `comm` call it, with the same `choice`. No communication, but
 *  the first time on a communicator other than MPI_COMM_WORLD, where it is
 *  collective. The object is freed by lapwing_shortcut_end(). */
lapwing_shortcut* lapwing_shortcut_begin(MPI_Comm comm, int choice);

/** This process has found a result; `size` bytes at `data` are copied. The first
 *  call counts. Does not wait. */
void lapwing_shortcut_found(lapwing_shortcut* context, const void* data, size_t size);

/** 1 if this process' work is needless now, else 0. Never waits; costs about as much
 *  as an MPI_Iprobe. Also passes the news on, so call it now and then. */
int lapwing_shortcut_done(lapwing_shortcut* context);

/** All members call it, each when its work has ended. Collective over `comm`:
 *  returns the rank whose result was chosen, with the result in `data`, the same on all, or
 *  -1 where no process has found any; `data` is untouched then. A result larger than
 *  `size` ends the job with a sentence. */
int lapwing_shortcut_end(lapwing_shortcut* context, void* data, size_t size);

#ifdef __cplusplus
}
#endif
#endif
