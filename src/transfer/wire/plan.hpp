// SPDX-License-Identifier: Apache-2.0
// How the middle of a message is cut into strips (HUNT, sections 5.1 and 5.3).
#pragma once

#include <cstddef>

#include "transfer/wire/wire.hpp"

namespace lapwing::transfer {

struct Strip {
  std::size_t offset;  ///< from the start of the payload
  std::size_t length;
};

/// Strips that double from `first` to `largest` bytes and then stay equal; with
/// first == largest all are equal. Both ends compute the same plan from the
/// trailer. In direction `down` the same cut is mirrored, so that the strip
/// that the program reads first is again the small one.
class StripPlan {
 public:
  StripPlan() = default;
  StripPlan(std::size_t total, std::size_t first, std::size_t largest, Direction direction);

  std::size_t count() const { return count_; }
  Strip strip(std::size_t index) const;
  Direction direction() const { return direction_; }
  std::size_t first() const { return first_; }
  std::size_t largest() const { return largest_; }

 private:
  std::size_t begin_ = 0, end_ = 0;  // the middle, as payload offsets
  std::size_t first_ = 0, largest_ = 0;
  std::size_t growing_ = 0;        // strips before the equal ones
  std::size_t growing_bytes_ = 0;  // their sum
  std::size_t count_ = 0;
  Direction direction_ = Direction::up;
};

}  // namespace lapwing::transfer
