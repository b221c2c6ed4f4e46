// SPDX-License-Identifier: Apache-2.0
// Threads of the program: each is made known to the guard when it begins, and
// when it ends its stack must not hold closed pages any more.
#include <pthread.h>
#include <stdlib.h>

#include "preload/hooks.h"

namespace {

using Routine = void*(void*);
using lapwing::preload::Next;

constinit Next<int(pthread_t*, const pthread_attr_t*, Routine*, void*)> next_create("pthread_create");

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
  if (auto begins = lapwing_preload_hooks.thread_begins) begins();
  return start.routine(start.argument);
}

}  // namespace

extern "C" LAPWING_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                             Routine* routine, void* argument) noexcept {
  auto next = next_create.get();
  auto creation_begins = lapwing_preload_hooks.creation_begins;
  if (!creation_begins || !creation_begins()) return next(thread, attributes, routine, argument);
  auto* start = static_cast<Start*>(malloc(sizeof(Start)));
  int result;
  if (start) {
    *start = {routine, argument};
    result = next(thread, attributes, begin, start);
    if (result != 0) free(start);
  } else {
    result = next(thread, attributes, routine, argument);
  }
  if (auto creation_ends = lapwing_preload_hooks.creation_ends) creation_ends();
  return result;
}
