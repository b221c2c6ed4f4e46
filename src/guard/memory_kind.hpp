// SPDX-License-Identifier: Apache-2.0
// What kind of memory a range is: only private, writable memory of ordinary
// pages can be closed, and how depends on what stands behind it.
#pragma once

#include <cstdint>

namespace lapwing::guard {

struct MemoryKind {
  bool guardable = false;             ///< every byte is mapped, private, readable, writable, 4 KiB pages
  bool file = false;                  ///< some of it is a private view of a file (.data)
  int mappings = 0;                   ///< how many adjacent mappings it spans
  std::uintptr_t begin = 0, end = 0;  ///< of those mappings together
};

/// Looks [begin, end) up in the process' map; a few microseconds.
MemoryKind memory_kind(std::uintptr_t begin, std::uintptr_t end);

/// Opens /proc/self/maps for the queries; false if there is none.
bool open_memory_map();
void close_memory_map();
/// As on kernels before 6.11, which answer no queries: for tests.
void read_memory_map_as_text();

}  // namespace lapwing::guard
