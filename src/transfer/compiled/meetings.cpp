// SPDX-License-Identifier: Apache-2.0
#include "transfer/compiled/meetings.hpp"

#include <algorithm>
#include <cassert>

namespace lapwing::transfer {
namespace {

// Beyond these a loop's rounds are not tried one by one: then they may meet in all rounds of the loops behind
// it.
constexpr std::int64_t most_rounds_tried = 16;
constexpr int most_tries = 256;

std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

std::int64_t ceiling_of(std::int64_t a, std::int64_t b) { return -floor_of(-a, b); }

std::int64_t length(std::int64_t by) { return by < 0 ? -by : by; }

}  // namespace

std::size_t Meetings::add(const Turns& turns) {
  assert(count_ < most);
  loops_[count_].all = turns;
  return count_++;
}

void Meetings::add_against(std::int64_t by, std::int64_t back_edges, std::size_t from) {
  if (by == 0 || back_edges == 0) return;
  for (std::size_t i = from; i < count_; ++i) {
    Loop& loop = loops_[i];
    if (length(loop.all.by) != length(by)) continue;
    (loop.all.by == by ? loop.all.low -= back_edges : loop.all.high += back_edges);
    (loop.all.by == by ? loop.down : loop.up) += back_edges;
    return;
  }
  add({-by, 0, back_edges});
}

bool Meetings::find() {
  moving_ = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    Loop& loop = loops_[i];
    if (loop.all.low > loop.all.high) return false;
    loop.met = {loop.all.by, loop.all.high + 1, loop.all.low - 1};
    if (loop.all.by != 0) order_[moving_++] = i;
  }
  std::sort(
      order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(moving_),
      [&](std::size_t a, std::size_t b) { return length(loops_[a].all.by) > length(loops_[b].all.by); });
  lowest_[moving_] = highest_[moving_] = 0;
  for (std::size_t place = moving_; place-- > 0;) {
    const auto& [by, low, high] = loops_[order_[place]].all;
    lowest_[place] = lowest_[place + 1] + by * (by > 0 ? low : high);
    highest_[place] = highest_[place + 1] + by * (by > 0 ? high : low);
  }
  tries_ = 0;
  return find_from(0, first_);
}

bool Meetings::find_from(std::size_t place, std::int64_t distance) {
  if (place == moving_) return begin_ < distance && distance < end_;
  const auto& [by, low, high] = loops_[order_[place]].all;
  // The rounds from which the loops behind this one can still come between the two bounds.
  const std::int64_t above = begin_ - distance - highest_[place + 1],
                     below = end_ - distance - lowest_[place + 1];
  std::int64_t first = by > 0 ? floor_of(above, by) + 1 : floor_of(-below, -by) + 1;
  std::int64_t last = by > 0 ? ceiling_of(below, by) - 1 : ceiling_of(-above, -by) - 1;
  first = std::max(first, low), last = std::min(last, high);
  if (first > last) return false;
  const bool is_last = place + 1 == moving_;
  if (is_last || last - first >= most_rounds_tried || tries_ >= most_tries) {
    note(place, first, last);
    for (std::size_t next = place + 1; next < moving_; ++next)
      note(next, loops_[order_[next]].all.low, loops_[order_[next]].all.high);
    return true;
  }
  bool any = false;
  for (std::int64_t round = first; round <= last; ++round) {
    ++tries_;
    if (!find_from(place + 1, distance + by * round)) continue;
    note(place, round, round);
    any = true;
  }
  return any;
}

void Meetings::note(std::size_t place, std::int64_t low, std::int64_t high) {
  Turns& met = loops_[order_[place]].met;
  met.low = std::min(met.low, low);
  met.high = std::max(met.high, high);
}

Meetings::Turns Meetings::found(std::size_t index) const {
  const Loop& loop = loops_[index];
  if (loop.all.by == 0) return loop.all;
  const std::int64_t low = loop.all.low + loop.down, high = loop.all.high - loop.up;
  return {loop.all.by, std::max(loop.met.low - loop.up, low), std::min(loop.met.high + loop.down, high)};
}

}  // namespace lapwing::transfer
