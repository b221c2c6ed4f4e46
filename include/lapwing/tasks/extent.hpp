// SPDX-License-Identifier: Apache-2.0
// A part of a value as numbers. Not for programs, which say part(), block() or field() (part.hpp).
#pragma once

#include <cstdint>

namespace lapwing::tasks::detail {

/// `count` pieces of `width` bytes, `stride` bytes from one to the next. For a value that is not
/// one run of bytes the numbers count what its program counts.
struct Extent {
  std::uint64_t first = 0, width = 0, count = 1, stride = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

}  // namespace lapwing::tasks::detail
