// SPDX-License-Identifier: Apache-2.0
#include "entry/caller.hpp"

#include <atomic>
#include <cstdint>

#include "entry/libraries.hpp"
#include "mpi_fortran.hpp"

// This library's own code, as the linker lays it out.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start, etext;

__thread const void* lapwing_fortran_caller = nullptr;

namespace {
__attribute__((tls_model("initial-exec"))) thread_local constinit const void* called_from = nullptr;
}

/// Looked up by lapwing/memory_windows.h.
extern "C" __attribute__((visibility("default"))) void lapwing_called_from(const void* site) {
  called_from = site;
}

namespace lapwing::entry {
namespace {

struct Range {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  bool holds(const void* address) const {
    const auto a = reinterpret_cast<std::uintptr_t>(address);
    return a >= begin.load(std::memory_order_relaxed) && a < end.load(std::memory_order_relaxed);
  }
};
Range wrappers[std::size(mpi::fortran_callers)];

bool is_wrapper(const void* address) {
  for (const Range& range : wrappers) {
    if (range.holds(address)) return true;
  }
  return false;
}

bool is_own(const void* address) { return address >= &__ehdr_start && address < &etext; }

}  // namespace

const void* call_site(const void* returns_to) {
  if (called_from) return called_from;
  const void* const noted = lapwing_fortran_caller;
  if (!noted) return returns_to;
  return is_own(returns_to) || is_wrapper(returns_to) ? noted : returns_to;
}

void note_fortran_caller(const void* returns_to) {
  if (!is_wrapper(returns_to)) lapwing_fortran_caller = returns_to;
}

void learn_fortran_libraries() {
  for (std::size_t i = 0; i < std::size(wrappers); ++i) {
    if (wrappers[i].end.load(std::memory_order_relaxed) != 0) continue;
    const LoadedLibrary library = find_loaded(mpi::fortran_callers[i]);
    wrappers[i].begin.store(library.begin, std::memory_order_relaxed);
    wrappers[i].end.store(library.end, std::memory_order_relaxed);
  }
}

}  // namespace lapwing::entry
