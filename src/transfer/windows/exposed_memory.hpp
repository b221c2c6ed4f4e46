// SPDX-License-Identifier: Apache-2.0
// This process' own memory in windows. MPI itself reads and writes it here for other processes, at any time:
// no page of it may be closed.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

namespace lapwing::transfer {

/// Calls under the engine's lock. `window`: a key of the window.
class ExposedMemory {
 public:
  void add(std::uint64_t window, const void* base, std::size_t bytes) {
    const char* const begin = static_cast<const char*>(base);
    if (bytes != 0) ranges_.insert({window, {begin, begin + bytes}});
  }
  /// The memory that `win`, which has just been made, exposes from the start.
  void add(std::uint64_t window, MPI_Win win) {
    void* base = nullptr;
    MPI_Aint* bytes = nullptr;
    int based = 0, sized = 0;
    PMPI_Win_get_attr(win, MPI_WIN_BASE, static_cast<void*>(&base), &based);
    PMPI_Win_get_attr(win, MPI_WIN_SIZE, static_cast<void*>(&bytes), &sized);
    if (based && sized && *bytes > 0) add(window, base, static_cast<std::size_t>(*bytes));
  }
  /// Memory that begins there is no longer exposed.
  void remove(std::uint64_t window, const void* base) {
    const auto [first, end] = ranges_.equal_range(window);
    const auto found =
        std::find_if(first, end, [&](const auto& range) { return range.second.begin == base; });
    if (found != end) ranges_.erase(found);
  }
  void remove(std::uint64_t window) { ranges_.erase(window); }
  bool meets(const char* from, const char* to) const {
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [&](const auto& range) { return range.second.begin < to && from < range.second.end; });
  }

 private:
  struct Range {
    const char *begin, *end;
  };
  std::multimap<std::uint64_t, Range> ranges_;
};

}  // namespace lapwing::transfer
