// SPDX-License-Identifier: Apache-2.0
// Finds, at its first call, what a Fortran stub goes on to. The Fortran
// libraries are the program's, not ours: C programs do not load them.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "entry/caller.hpp"
#include "entry/libraries.hpp"
#include "entry/spec.hpp"

using namespace lapwing;

extern "C" void* lapwing_entry_resolve(unsigned index, const std::int64_t*, const std::int64_t*) {
  const entry::Spec& spec = entry::specs[index];
  void* target = entry::find_in(entry::find_loaded(spec.library), spec.target);
  if (!target) {
    fmt::print(
        stderr,
        "lapwing: {} was called, but no {} with {} is loaded in this process. "
        "Link the program with the Fortran library of its MPI dynamically, or run it with LAPWING=off.\n",
        spec.name, spec.library, spec.target);
    std::abort();
  }
  entry::learn_fortran_libraries();
  std::atomic_ref<void*>(lapwing_entry_real[index]).store(target, std::memory_order_release);
  return target;
}
