// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/loop_clock.hpp"

#include <algorithm>

namespace lapwing::transfer {

std::optional<std::uint64_t> LoopClock::arrive(std::uint64_t key, std::uint64_t now) {
  const std::size_t arrival = arrivals_++;
  const bool as_before = period_ > 0 && arrival >= period_ && key_of(arrival - period_) == key;
  std::optional<std::uint64_t> iteration;
  if (as_before) {
    iteration = repeated(arrival, now);
  } else {
    broken(key);
  }
  key_of(arrival) = key;
  times_[arrival % longest] = now;
  if (as_before && locked_ && rounds_ == 0) loop_ = name();
  return iteration;
}

std::optional<std::uint64_t> LoopClock::repeated(std::size_t arrival, std::uint64_t now) {
  ++repeats_;
  if (!locked_) {
    if (grace_ > 0) --grace_;
    if (repeats_ < std::max(period_, fewest_repeats)) return std::nullopt;
    locked_ = true;
    rounds_ = 0;
    grace_ = 0;
  } else if (++phase_ < period_) {
    return std::nullopt;
  } else {
    ++rounds_;
  }
  phase_ = 0;
  return now - times_[(arrival - period_) % longest];
}

void LoopClock::broken(std::uint64_t key) {
  if (locked_ && rounds_ >= steady) {
    grace_ = 2 * period_ + 8;
  } else if (grace_ > 0) {
    --grace_;
  }
  locked_ = false;
  repeats_ = 0;
  if (grace_ > 0) return;
  period_ = distance_to_last(key);
  repeats_ = period_ > 0 ? 1 : 0;
}

// Before the key is noted itself.
std::size_t LoopClock::distance_to_last(std::uint64_t key) const {
  const std::size_t noted = arrivals_ - 1;
  // An iteration must lie within what is remembered, with the place where it began.
  const std::size_t most = std::min(noted, longest - 1);
  for (std::size_t back = 1; back <= most; ++back) {
    if (keys_[(noted - back) % longest] == key) return back;
  }
  return 0;
}

std::uint64_t LoopClock::name() const {
  std::uint64_t sum = period_;
  for (std::size_t back = 1; back <= period_; ++back) {
    std::uint64_t key = keys_[(arrivals_ - back) % longest] + 0x9e3779b97f4a7c15u;
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    sum += key ^ (key >> 31);
  }
  return sum == 0 ? 1 : sum;
}

}  // namespace lapwing::transfer
