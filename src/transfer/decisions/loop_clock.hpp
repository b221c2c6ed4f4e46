// SPDX-License-Identifier: Apache-2.0
// Finds the loop in which a program communicates, and times its iterations.
//
// A program's communication comes to this process as a sequence of arrivals, each
// with a key: the call site, the size and the partner. Where the sequence repeats
// itself the program is in a loop, and the time from one arrival to the same place
// a period later is that of one whole iteration: computation, waiting and every
// cost of hiding included, whichever call bears it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace lapwing::transfer {

/// The caller sees to it that one thread calls at a time.
class LoopClock {
 public:
  /// Notes an arrival; times in nanoseconds. The time of a whole iteration where one
  /// ends with this arrival; iterations that it returns do not overlap.
  std::optional<std::uint64_t> arrive(std::uint64_t key, std::uint64_t now);

  /// Whether the last arrivals have repeated those before them.
  bool locked() const { return locked_; }
  /// Arrivals in an iteration of the loop that the clock is locked to.
  std::size_t period() const { return locked_ ? period_ : 0; }
  /// After a loop of many iterations: whether so little has happened that it may go on.
  bool may_come_back() const { return grace_ > 0; }
  /// Names the loop that the clock is, or was last, locked to; the same where the clock
  /// locks to it at another place. 0 before there is one.
  std::uint64_t loop() const { return loop_; }

 private:
  static constexpr std::size_t longest = 512;        // arrivals in an iteration
  static constexpr std::size_t noted = 2 * longest;  // a loop has been seen twice
  static constexpr std::size_t fewest_repeats = 3;   // two equal messages in a row are not a loop
  /// After so many iterations a loop is one of its own right, though it may stand in a
  /// larger one: the clock then looks for it again before it looks for the larger one.
  static constexpr std::size_t steady = 8;

  std::uint64_t& key_of(std::size_t arrival) { return keys_[arrival % noted]; }
  bool repeats(std::size_t arrival, std::size_t period) const;
  std::size_t period_at(std::size_t arrival) const;
  std::uint64_t name() const;

  std::array<std::uint64_t, noted> keys_{}, times_{};
  std::size_t arrivals_ = 0;
  std::size_t period_ = 0;  // of the loop that the clock is, or was last, locked to
  std::size_t phase_ = 0;   // arrivals since an iteration ended
  std::size_t rounds_ = 0;  // iterations since it locked
  std::size_t grace_ = 0;   // arrivals in which a steady loop may come back
  bool locked_ = false;
  std::uint64_t loop_ = 0;
};

}  // namespace lapwing::transfer
