// SPDX-License-Identifier: Apache-2.0
// How long a divided loop goes on looking at its index lists before the wait. A look costs time of its own,
// and hides nothing once the messages have come; so the loop looks for about as long as they take, in runs
// of rounds between which it sees to the clock.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lapwing::transfer {

/// Times in nanoseconds.
class LookPace {
 public:
  static constexpr std::uint64_t without_end = UINT64_MAX;

  /// A loop begins, which may look for so long.
  void begin(std::uint64_t longest) {
    longest_ = longest;
    begun_ = last_ = 0;
    rounds_ = first_rounds;
  }
  /// How many rounds it looks at next; 0 where it has looked for long enough.
  long long next(std::uint64_t now) {
    if (begun_ == 0) {
      begun_ = now;
    } else {
      if (now - begun_ >= longest_) return 0;
      const std::uint64_t took = now - last_;
      if (took < run / 2 && rounds_ < most_rounds) rounds_ *= 2;
      if (took > run * 2) rounds_ = std::max(1LL, rounds_ / 2);
    }
    last_ = now;
    return rounds_;
  }

 private:
  static constexpr std::uint64_t run = 50'000;
  static constexpr long long first_rounds = 16, most_rounds = 1LL << 40;

  std::uint64_t longest_ = without_end, begun_ = 0, last_ = 0;
  long long rounds_ = first_rounds;
};

}  // namespace lapwing::transfer
