// SPDX-License-Identifier: Apache-2.0
#include "transfer/wire/plan.hpp"

#include <algorithm>

namespace lapwing::transfer {

StripPlan::StripPlan(std::size_t total, std::size_t first, std::size_t largest, Direction direction)
    : begin_(std::min(edge_bytes, total)), direction_(direction) {
  end_ = std::max(begin_, total - std::min(edge_bytes, total));
  first_ = std::max<std::size_t>(first, 1);
  largest_ = std::max(largest, first_);
  const std::size_t middle = end_ - begin_;
  std::size_t size = first_;
  while (size < largest_ && growing_bytes_ + size <= middle) {
    growing_bytes_ += size;
    ++growing_;
    size = std::min(size * 2, largest_);
  }
  const std::size_t rest = middle - growing_bytes_;
  // Either the equal strips begin here, or the next growing one is cut short:
  // in both cases one formula counts what is left.
  count_ = growing_ + (rest + size - 1) / size;
}

Strip StripPlan::strip(std::size_t index) const {
  std::size_t size = first_, at = 0;
  for (std::size_t i = 0; i < std::min(index, growing_); ++i) {
    at += size;
    size = std::min(size * 2, largest_);
  }
  if (index > growing_) at += (index - growing_) * size;
  const std::size_t length = std::min(size, end_ - begin_ - at);
  if (direction_ == Direction::up) return {begin_ + at, length};
  return {end_ - at - length, length};
}

}  // namespace lapwing::transfer
