// SPDX-License-Identifier: Apache-2.0
// Threads of the program: each is made known to the guard when it begins, or
// where it first reads or writes (libc_io.cpp) if it is older than the guard; and
// when it ends its stack must not hold closed pages any more.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "preload/hooks.h"

namespace {

using Routine = void*(void*);
using lapwing::preload::Next;
using lapwing::preload::SignalsBlocked;

LAPWING_NEXT<int(pthread_t*, const pthread_attr_t*, Routine*, void*)> next_create("pthread_create");
LAPWING_NEXT<int(pthread_t, int)> next_kill("pthread_kill");
LAPWING_NEXT<int(pthread_t)> next_cancel("pthread_cancel");

struct Start {
  Routine* routine;
  void* argument;
};

// A message may lie in an array on the stack of a thread that ends before it
// has landed: libc would hand that stack to the next thread.
void await_stack(void*) {
  if (!lapwing::preload::anything_closed()) return;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  if (low) lapwing::preload::await(low, size);
}

pthread_key_t at_end;
pthread_once_t once = PTHREAD_ONCE_INIT;
bool have_key = false;

void* begin(void* memory) {
  Start start = *static_cast<Start*>(memory);
  free(memory);
  pthread_once(&once, [] { have_key = pthread_key_create(&at_end, await_stack) == 0; });
  if (have_key) pthread_setspecific(at_end, &at_end);
  lapwing::preload::make_thread_known();
  return start.routine(start.argument);
}

// A thread of MPI's or of Lapwing's: what it reads and writes is never closed.
void* begin_foreign(void* memory) {
  Start start = *static_cast<Start*>(memory);
  free(memory);
  lapwing::preload::thread_known = true;
  return start.routine(start.argument);
}

bool is_foreign(const SignalsBlocked& creation) {
  if (lapwing_preload_hooks.creation_begins) return !creation.counts();
  return __atomic_load_n(&lapwing::preload::mpi_begins, __ATOMIC_RELAXED);
}

}  // namespace

namespace lapwing::preload {

constinit thread_local bool thread_known = false;
bool mpi_begins = false;

void make_thread_known() {
  if (thread_known) return;
  auto begins = lapwing_preload_hooks.thread_begins;
  if (!begins) return;
  thread_known = true;
  begins();
}

}  // namespace lapwing::preload

extern "C" LAPWING_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                             Routine* routine, void* argument) noexcept {
  auto next = next_create.get();
  SignalsBlocked blocked;
  auto* start = static_cast<Start*>(malloc(sizeof(Start)));
  if (!start) return next(thread, attributes, routine, argument);
  *start = {routine, argument};
  const int result = next(thread, attributes, is_foreign(blocked) ? begin_foreign : begin, start);
  if (result != 0) free(start);
  return result;
}

extern "C" LAPWING_EXPORT int pthread_kill(pthread_t thread, int signal) noexcept {
  SignalsBlocked blocked;
  return next_kill.get()(thread, signal);
}

extern "C" LAPWING_EXPORT int pthread_cancel(pthread_t thread) {
  SignalsBlocked blocked;
  return next_cancel.get()(thread);
}
