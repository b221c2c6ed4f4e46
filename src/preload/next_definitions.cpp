// SPDX-License-Identifier: Apache-2.0
// The libc functions that the hooks wrap are looked up when this library is loaded. Later, dlsym would take
// from the program what dlerror has to tell it. A hook that is called before that looks its own up.
#include "preload/hooks.h"

// All Next of this library, as the linker has put them together.
extern "C" lapwing::preload::NextDefinition __start_lapwing_next[] __attribute__((visibility("hidden")));
extern "C" lapwing::preload::NextDefinition __stop_lapwing_next[] __attribute__((visibility("hidden")));

namespace {

__attribute__((constructor)) void find_next_definitions() {
  for (lapwing::preload::NextDefinition* next = __start_lapwing_next; next != __stop_lapwing_next; ++next)
    next->find();
}

}  // namespace
