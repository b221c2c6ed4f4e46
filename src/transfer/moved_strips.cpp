// SPDX-License-Identifier: Apache-2.0
#include "transfer/moved_strips.hpp"

#include <algorithm>
#include <cstring>

namespace lapwing::transfer {
namespace {

constexpr std::size_t first_stretch = 256 << 10, longest_stretch = 4 << 20;

// The strip that holds the byte at `offset` of the payload, or the nearest one.
std::size_t strip_at(const StripPlan& plan, std::size_t offset) {
  std::size_t low = 0, high = plan.count() - 1;
  const bool up = plan.direction() == Direction::up;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const Strip strip = plan.strip(middle);
    const bool before = up ? offset < strip.offset + strip.length : offset >= strip.offset;
    if (before)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

MovedStrips::Run MovedStrips::strips_of(const StripPlan& plan, const char* payload, std::uintptr_t from,
                                        std::uintptr_t to) {
  const auto base = reinterpret_cast<std::uintptr_t>(payload);
  const std::size_t a = strip_at(plan, from > base ? from - base : 0);
  const std::size_t b = strip_at(plan, to > base ? to - base - 1 : 0);
  return {std::min(a, b), std::max(a, b) + 1};
}

std::size_t MovedStrips::grown(const StripPlan& plan, const Run& wanted, std::size_t next) {
  stretch_ = stretch_ == 0 ? first_stretch : std::min(2 * stretch_, longest_stretch);
  std::size_t end = std::max(wanted.end, next), more = 0;
  while (end < plan.count() && more < stretch_) more += plan.strip(end++).length;
  return end;
}

void MovedStrips::copy(const StripPlan& plan, const char* payload, std::size_t first, std::size_t end) {
  copies_.resize(plan.count());
  while (first < end) {
    std::size_t stop = first, length = 0;
    while (stop < end && !copies_[stop]) length += plan.strip(stop++).length;
    if (length > 0) {
      auto bytes = std::make_unique_for_overwrite<char[]>(length);
      char* at = bytes.get();
      for (; first < stop; ++first) {
        const Strip strip = plan.strip(first);
        std::memcpy(at, payload + strip.offset, strip.length);
        copies_[first] = at;
        at += strip.length;
      }
      memory_.push_back(std::move(bytes));
      bytes_ += length;
    }
    while (first < end && copies_[first]) ++first;
  }
}

MovedStrips::Run MovedStrips::free_around(std::size_t index, std::size_t left, std::size_t count) const {
  const auto is_free = [&](std::size_t i) { return i < left || copy_of(i); };
  if (!is_free(index)) return {index, index};
  Run run{index, index + 1};
  while (run.first > 0 && is_free(run.first - 1)) run.first = run.first <= left ? 0 : run.first - 1;
  while (run.end < count && is_free(run.end)) ++run.end;
  return run;
}

}  // namespace lapwing::transfer
