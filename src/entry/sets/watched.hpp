// SPDX-License-Identifier: Apache-2.0
// Group calls while somebody watches them.
#pragma once

#include <cstdint>

#include "entry/spec.hpp"
#include "sets/group_call.hpp"
#include "sets/handle_watch.hpp"

extern "C" {
/// Written by generate.py: the call again, from C++. `stack` as it came.
__attribute__((visibility("hidden"))) int lapwing_entry_call(void* target, const std::int64_t* registers,
                                                             const std::int64_t* stack);
/// Where a stub goes on to whose call has been carried out already.
__attribute__((visibility("hidden"))) void lapwing_entry_done();
/// The result that the program then gets.
extern __attribute__((visibility("hidden"), tls_model("initial-exec"))) __thread int lapwing_entry_result;
}

namespace lapwing::entry {

/// This thread is inside a group call: what MPI or a callback of the program's
/// calls there is no affair of the watcher's.
inline constinit thread_local bool inside_group_call = false;

inline bool is_watched(const Spec& spec) {
  return spec.group >= 0 && sets::watcher != nullptr && !inside_group_call;
}

/// Hands the call to the watcher and carries it out, unless that has done so.
void make_watched_call(unsigned index, const std::int64_t* registers, const std::int64_t* stack);

inline bool makes_watched_handle(const Spec& spec) {
  return spec.handle >= 0 && sets::handle_watcher != nullptr && !inside_group_call;
}

/// Carries the call out and tells the watcher which handle it has made or freed.
void make_handle_call(unsigned index, const std::int64_t* registers, const std::int64_t* stack);

/// MPI_Finalize is a group call of the world's; true: do not call MPI.
bool finalize_is_done(const void* returns_to, int* result);

}  // namespace lapwing::entry
