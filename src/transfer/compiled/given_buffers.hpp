// SPDX-License-Identifier: Apache-2.0
// The memory that a start of compiled code was ever given.
//
// Where one call starts the messages of several neighbours, it is not known which of them a wait finds
// outstanding: all memory that the call was given counts as in flight. Neighbours' buffers lie apart, and
// between them may lie what a loop works on, so they are kept as ranges of their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "transfer/compiled/interior_range.hpp"

namespace lapwing::transfer {

/// Memory of the compiled function's, all 0 at first (lapwing_given, lapwing/compiled.h).
class GivenBuffers {
 public:
  /// Where there is no room for another range, the two that lie closest together become one.
  void add(std::uintptr_t first, std::uint64_t bytes);
  const Addresses* begin() const { return ranges_.data(); }
  const Addresses* end() const { return ranges_.data() + count_; }

 private:
  std::uint64_t largest_ = 0;  // the most bytes of one message; compiled code reads it
  std::uint64_t count_ = 0;
  std::array<Addresses, 12> ranges_{};  // by their begin; they do not meet
};

}  // namespace lapwing::transfer
