// SPDX-License-Identifier: Apache-2.0
// Retiring deferred transfers from outside the engine: what every other entry
// point does before it lets MPI touch the program's memory (rule 3).
#pragma once

#include <cstddef>

#include "guard/guard.hpp"

namespace lapwing::transfer {

/// Returns once no deferred transfer overlaps [address, address + length).
void retire_overlapping(const void* address, std::size_t length);

/// Returns once no transfer of this process is deferred.
void retire_everything();

/// The same but for deferred gets and puts, which stay under way behind calls that no other process can
/// notice.
void retire_all_but_accesses();

/// Returns once the bytes of all deferred gets are here, and deferred puts that the program has flushed are
/// complete at their targets: before a call that another process may notice.
void retire_accesses();

/// Returns once the stack below the caller is open: a buffer of a function that
/// has returned may still be guarded there. The engine and MPI must not meet a
/// guard while they hold a lock that the helper thread needs to open it.
void retire_frames();

/// For what a call reads and writes besides its message: handles, statuses,
/// flags. They may lie where a guarded buffer of a function that has returned was.
template <typename... T>
void clear_way(const T*... objects) {
  if (guard::closed_regions.load(std::memory_order_relaxed) == 0) return;
  retire_frames();
  retire_accesses();
  (retire_overlapping(objects, sizeof(T)), ...);
}

}  // namespace lapwing::transfer
