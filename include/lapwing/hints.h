/* SPDX-License-Identifier: Apache-2.0
 *
 * Hints: what a program knows of how its large messages are used (HUNT, section 5.5).
 *
 * They hold for what the calling thread sends and receives from then on, until it changes or resets them, and
 * change when bytes arrive, never which. A hint of a send says how that message travels; one of a receive is
 * told to its sender, and holds from the next message of that sender's call on. A call's hints are stronger
 * than those of LAPWING_HINTS, and these than the environment's. Whether messages are deferred at all is not
 * changed.
 *
 * Nothing need be linked: the functions are looked up in the process, and return -1 where there is no
 * Lapwing, and before MPI_Init. They are local. Define LAPWING_HINTS_LINKED before this header in programs
 * that are linked with Lapwing and want plain calls.
 */
#ifndef LAPWING_HINTS_H
#define LAPWING_HINTS_H

#include <stddef.h>

#ifndef LAPWING_HINTS_LINKED
#include <dlfcn.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** In which order the bytes of a message are used: as call sites have shown, from the first, or from the
 * last. */
enum lapwing_order { LAPWING_ORDER_AUTO = 0, LAPWING_ORDER_UP = 1, LAPWING_ORDER_DOWN = 2 };

#ifdef LAPWING_HINTS_LINKED

/** The order in which strips travel. Returns 0, or -1 where `order` is none of enum lapwing_order. */
int lapwing_set_order(int order);

/** Strips grow from `first` bytes to `largest`; 0 leaves one as it is without a hint. Small strips let a
 * program follow close behind, large ones cost less. Returns 0, or -1 for more than 2^31 - 1 bytes. */
int lapwing_set_decomposition(size_t first, size_t largest);

/** While `messages` stripped messages are on their way out, further ones are not cut into strips: a train,
 * whose later messages are hidden behind the earlier ones. 0: as without a hint (8). Of sends only. Returns
 * 0, or -1 for a negative number, or one above a million. */
int lapwing_set_train(int messages);

/** The calling thread gives no hint any more. Returns 0. */
int lapwing_reset_hints(void);

#else

/* RTLD_DEFAULT, for which some headers want _GNU_SOURCE. */
static inline void* lapwing_hints_function(const char* name) { return dlsym((void*)0, name); }

static inline int lapwing_set_order(int order) {
  int (*call)(int);
  *(void**)(&call) = lapwing_hints_function("lapwing_set_order");
  return call ? call(order) : -1;
}

static inline int lapwing_set_decomposition(size_t first, size_t largest) {
  int (*call)(size_t, size_t);
  *(void**)(&call) = lapwing_hints_function("lapwing_set_decomposition");
  return call ? call(first, largest) : -1;
}

static inline int lapwing_set_train(int messages) {
  int (*call)(int);
  *(void**)(&call) = lapwing_hints_function("lapwing_set_train");
  return call ? call(messages) : -1;
}

static inline int lapwing_reset_hints(void) {
  int (*call)(void);
  *(void**)(&call) = lapwing_hints_function("lapwing_reset_hints");
  return call ? call() : -1;
}

#endif

#ifdef __cplusplus
}
#endif
#endif
