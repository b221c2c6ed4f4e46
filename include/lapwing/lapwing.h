/* SPDX-License-Identifier: Apache-2.0
 *
 * The C API of Lapwing. Everything in it is optional: a program that never
 * calls it gets the same transfers.
 */
#ifndef LAPWING_LAPWING_H
#define LAPWING_LAPWING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whether this process' large transfers are deferred to their use. */
enum lapwing_defer { LAPWING_DEFER_OFF = 0, LAPWING_DEFER_AUTO = 1, LAPWING_DEFER_ON = 2 };

/** Counters of this process since MPI_Init; all grow only. */
struct lapwing_stats {
  uint64_t deferred_receives; /**< receives that returned before their payload */
  uint64_t deferred_sends;    /**< sends that returned before their buffer left */
  uint64_t strips;            /**< strips received */
  uint64_t faults;            /**< touches of pages that had not landed or left */
  uint64_t bytes_deferred;    /**< payload bytes of the deferred transfers */
  double exposed_s;           /**< seconds in which the program waited in a call or a guard */
};

/** Chooses what the next sends of this process do; returns the old choice, or
 *  -1 before MPI_Init or where Lapwing stands aside. Local, no communication.
 *  Receives always follow their sender. */
int lapwing_set_defer(int mode);

/** Fills `*out`. Local, no communication. */
void lapwing_get_stats(struct lapwing_stats* out);

/** Blocks until no transfer of this process is deferred any more. Local. */
void lapwing_retire_all(void);

/** The version as "major.minor.patch". */
const char* lapwing_version(void);

#ifdef __cplusplus
}
#endif
#endif
