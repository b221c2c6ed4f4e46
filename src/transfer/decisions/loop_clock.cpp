// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/loop_clock.hpp"

#include <algorithm>

namespace lapwing::transfer {

std::optional<std::uint64_t> LoopClock::arrive(std::uint64_t key, std::uint64_t now) {
  const std::size_t arrival = arrivals_++;
  key_of(arrival) = key;
  times_[arrival % noted] = now;
  if (locked_ && key_of(arrival - period_) == key) {
    if (++phase_ < period_) return std::nullopt;
    ++rounds_;
  } else {
    if (locked_ && rounds_ >= steady) grace_ = 2 * period_ + 8;
    locked_ = false;
    const std::size_t found = period_at(arrival);
    if (grace_ > 0) --grace_;
    if (found == 0) return std::nullopt;
    period_ = found;
    locked_ = true;
    rounds_ = 0;
    grace_ = 0;
    loop_ = name();
  }
  phase_ = 0;
  return now - times_[(arrival - period_) % noted];
}

// Whether the last arrivals, as many as make an iteration, are those of a period before.
bool LoopClock::repeats(std::size_t arrival, std::size_t period) const {
  const std::size_t wanted = std::max(period, fewest_repeats);
  if (arrival + 1 < period + wanted) return false;
  for (std::size_t back = 0; back < wanted; ++back) {
    if (keys_[(arrival - back) % noted] != keys_[(arrival - back - period) % noted]) return false;
  }
  return true;
}

// The shortest period of the arrivals up to this one; 0 where there is none. Equal messages
// within an iteration have shorter distances, which do not last.
std::size_t LoopClock::period_at(std::size_t arrival) const {
  if (grace_ > 0) return repeats(arrival, period_) ? period_ : 0;
  const std::uint64_t key = keys_[arrival % noted];
  for (std::size_t period = 1; period < std::min(arrival, longest); ++period) {
    if (keys_[(arrival - period) % noted] == key && repeats(arrival, period)) return period;
  }
  return 0;
}

std::uint64_t LoopClock::name() const {
  std::uint64_t sum = period_;
  for (std::size_t back = 1; back <= period_; ++back) {
    std::uint64_t key = keys_[(arrivals_ - back) % noted] + 0x9e3779b97f4a7c15u;
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    sum += key ^ (key >> 31);
  }
  return sum == 0 ? 1 : sum;
}

}  // namespace lapwing::transfer
