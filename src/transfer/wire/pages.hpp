// SPDX-License-Identifier: Apache-2.0
// Which whole pages of a buffer its middle may close.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "transfer/wire/wire.hpp"

namespace lapwing::transfer {

inline constexpr std::size_t page_bytes = 4096;
static_assert(edge_bytes >= page_bytes - 1, "the header must cover any partial page at the edges");

inline char* page_floor(char* at) {
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(at) & ~(page_bytes - 1));
}
inline char* page_ceil(char* at) { return page_floor(at + page_bytes - 1); }

struct PageRange {
  char* begin;
  char* end;
};

/// The pages that hold bytes of the middle. All lie wholly inside the buffer:
/// an edge is as long as a page, so a page with a middle byte cannot reach
/// beyond the buffer's ends, and nothing else of the program's is closed.
inline PageRange middle_pages(char* payload, std::size_t total) {
  if (total <= 2 * edge_bytes) return {payload, payload};
  return {page_floor(payload + edge_bytes), page_ceil(payload + total - edge_bytes)};
}

}  // namespace lapwing::transfer
