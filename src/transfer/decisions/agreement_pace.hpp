// SPDX-License-Identifier: Apache-2.0
// How long ranks stay agreed without a trial, and how soon they agree again.
//
// Ranks that have agreed to try strips expect headers, so the engine drives their receives from the agreement
// on. That costs some of each iteration. Where the trial does not begin, because less could be saved by then
// or iterations have become unlike each other, the agreement has to end, or its price is paid for ever.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lapwing::transfer {

/// Of one rank with one partner, in iterations of the rank's loop. The caller sees to it that one thread
/// calls at a time.
class AgreementPace {
 public:
  /// An iteration has ended in which the plain way was watched. `agreed`: this rank expected headers, or had
  /// asked for them. Returns whether what is agreed is to end now.
  bool iteration(bool agreed) {
    if (pause_ > 0) --pause_;
    if (!agreed) {
      waited_ = 0;
      return false;
    }
    if (++waited_ < longest_wait) return false;
    failed();
    return true;
  }

  /// An agreement has ended before a trial.
  void failed() {
    waited_ = 0;
    pause_ = next_pause_;
    next_pause_ = std::min(2 * next_pause_, longest_pause);
  }

  /// A trial has begun: agreements lead to something.
  void trial_began() {
    waited_ = pause_ = 0;
    next_pause_ = first_pause;
  }

  /// Whether this rank may ask for an agreement, or accept one.
  bool may_agree() const { return pause_ == 0; }

 private:
  /// A trial begins three iterations after the offer, and a partner may be behind.
  static constexpr std::uint64_t longest_wait = 5;
  static constexpr std::uint64_t first_pause = 8, longest_pause = 8192;

  std::uint64_t waited_ = 0;                            // iterations that the agreement has lasted
  std::uint64_t pause_ = 0, next_pause_ = first_pause;  // iterations before another one
};

}  // namespace lapwing::transfer
