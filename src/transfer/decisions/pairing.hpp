// SPDX-License-Identifier: Apache-2.0
// Whether, and how soon, the program sends after it has posted its receives.
//
// Most exchanges post receives, pack and then send. A helper that answers a
// partner's rendezvous between the two lets that partner fill the connection with
// its payload; the answer to the program's own send stands behind it, and the two
// directions travel one after the other instead of at once. So nobody looks until
// the send, where past exchanges say that one comes, and at most a little longer
// than it took then: a program that only receives loses nothing.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lapwing::transfer {

/// Times in nanoseconds. The caller sees to it that one thread calls at a time.
class Pairing {
 public:
  /// A receive has been put in flight; `alone`: nothing else was.
  void received(std::uint64_t now, bool alone) {
    if (state_ != State::idle) return;
    state_ = alone ? State::posted : State::exchanging;
    since_ = now;
  }

  void sent(std::uint64_t now) {
    if (state_ == State::posted) {
      const std::uint64_t gap = std::min(now - since_, too_long);
      gap_ = gap_ == 0 ? gap + 1 : (3 * gap_ + gap) / 4 + 1;
      hits_ = std::min(hits_ + 1, enough_hits);
    }
    state_ = State::exchanging;
  }

  /// The program waits for something, or has done so.
  void waited() {
    if (state_ == State::posted) hits_ = 0;
    state_ = State::idle;
  }

  /// Until when a look would come too soon; 0 where none does.
  std::uint64_t hold_until() const {
    if (state_ != State::posted || hits_ < enough_hits || gap_ >= too_long) return 0;
    return since_ + 2 * gap_ + margin;
  }

 private:
  enum class State : std::uint8_t { idle, posted, exchanging };

  static constexpr int enough_hits = 2;
  static constexpr std::uint64_t margin = 50'000;
  /// After so long a helper that looks is worth more than both directions at once.
  static constexpr std::uint64_t too_long = 2'000'000;

  State state_ = State::idle;
  std::uint64_t since_ = 0, gap_ = 0;
  int hits_ = 0;
};

}  // namespace lapwing::transfer
