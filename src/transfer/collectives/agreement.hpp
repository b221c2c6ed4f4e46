// SPDX-License-Identifier: Apache-2.0
// Whether the calls of one kind on one communicator are deferred, decided alike by all members.
//
// Each member counts the calls, so their numbers are equal on all. At some of them each
// member gives a *vote*; the sums of all votes are known at the next call, and everything
// below follows from sums and numbers alone. A member's clock, sizes, call sites and
// machine come in through its vote only (rule 8).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "transfer/decisions/trial_state.hpp"

namespace lapwing::transfer {

/// The words of one member, or their sum over all members.
struct Vote {
  enum Field : std::size_t {
    cannot,          ///< 1: this member has no guard, no helper, or no core for it
    unready,         ///< 1: it has not yet seen enough
    period,          ///< after so many calls the program's loop begins again
    period_squared,  ///< with it the sums tell whether all say the same
    share,           ///< of the loop's time that deferring could hide
    ratio,           ///< time of the last iterations by that of the plain ones
    fields
  };
  std::array<double, fields> values{};
  double& operator[](Field field) { return values[field]; }
  double operator[](Field field) const { return values[field]; }
};

/// The caller sees to it that one thread calls at a time.
class Agreement {
 public:
  using State = TrialState;

  /// `always`: everything is deferred from the first call, and nobody votes.
  explicit Agreement(bool always) : state_(always ? State::kept : State::watching), always_(always) {}

  /// The next call begins. Its number, from 1.
  std::uint64_t begin_call() { return ++calls_; }
  /// Whether the members vote at the call that has begun.
  bool votes() const { return !always_ && calls_ == next_vote_; }
  /// At the call after a vote, before it is carried out.
  void decide(const Vote& sums, int members);

  /// Whether the call that has begun is deferred.
  bool defers() const { return state_ == State::trying || state_ == State::kept; }
  State state() const { return state_; }
  /// Calls in an iteration of the loop, as all have said before the trial.
  std::size_t period() const { return static_cast<std::size_t>(period_); }
  const char* name() const { return name_of(state_); }
  /// The calls since the last change of state, the one that has begun included.
  std::uint64_t since() const { return calls_ - changed_ + 1; }

 private:
  static constexpr std::uint64_t first_vote = 4;
  static constexpr std::size_t iterations_wanted = 3;
  static constexpr std::uint64_t first_pause = 16, longest_pause = 4096;  // in iterations
  static constexpr std::uint64_t between_votes = 8, stay = 256;           // of what is kept

  void enter(State state);
  void watch_on(double factor);
  void tried(double ratio);
  void refuse();

  State state_;
  const bool always_;
  std::uint64_t calls_ = 0, changed_ = 1, next_vote_ = first_vote;
  std::uint64_t period_ = 1, pause_ = first_pause;
  std::uint64_t votes_ = 0;  // in this state
  int in_vain_ = 0;
  std::array<double, iterations_wanted> ratios_{};
  std::size_t tried_ = 0;
};

}  // namespace lapwing::transfer
