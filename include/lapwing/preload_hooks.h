/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface between the preloaded library and the guards; programs have
 * no use for it. liblapwing-preload.so exports the one object of this type,
 * lapwing_preload_hooks; it wraps those functions of libc that take memory away
 * or signals over. The guards find it by name and fill it in while they work.
 */
#ifndef LAPWING_PRELOAD_HOOKS_H
#define LAPWING_PRELOAD_HOOKS_H

#include <signal.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LAPWING_PRELOAD_HOOKS_VERSION 2

struct lapwing_preload_hooks {
  int version; /**< of this struct, set by the preloaded library */

  /** Points to the number of closed regions, to a zero where there is no guard:
   *  all that a hook looks at while nothing is closed. */
  const int* volatile closed;
  /** Wait until no page of the range, or none at all, is closed. */
  void (*volatile await)(const void* address, size_t length);
  void (*volatile await_all)(void);

  /** A thread of the program begins, before its own code runs. */
  void (*volatile thread_begins)(void);
  /** Whether a thread that is being created now belongs to the program; brackets
   *  its creation, and other calls in which libc blocks all signals. */
  int (*volatile creation_begins)(void);
  void (*volatile creation_ends)(void);

  /** Answers sigaction() for a signal that the guard has taken: nonzero if so. */
  int (*volatile action)(int signal, const struct sigaction* wanted, struct sigaction* old, int* result);
  /** Fills `copy` with those of `set` that may be blocked: nonzero if it has. */
  int (*volatile open_set)(const sigset_t* set, sigset_t* copy);

  /** Set by the preloaded library: makes its hooks of memory functions whole
   *  again where another library has written a jump over them (see libc_patched.hpp). */
  void (*volatile heal)(void);
};

#ifdef __cplusplus
}
#endif
#endif
