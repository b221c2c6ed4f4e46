// SPDX-License-Identifier: Apache-2.0
// Whether another way to communicate pays in a program's loop: look, then leap.
//
// The plain way is watched first, at no risk. The other way is tried only where so
// much of an iteration could be gained that it shows, and judged by the time of whole
// iterations. The trial ends at the first iteration that is clearly slower, unless those
// before it have gained more; what it has cost decides how soon there may be another.
//
// A way that was kept and has become slower is doubted, not refused: the machine may have
// become slower, and not the way. A few plain iterations show it, and the next trial, where
// they are no faster, follows at once.
//
// Ranks that exchange with each other often gain only where all of them go the other way, and
// each has a trial of its own. Trials and glances therefore begin at round numbers of
// iterations, which ranks that run the same loop come to together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "transfer/decisions/trial_state.hpp"

namespace lapwing::transfer {

/// The last few times, oldest forgotten first.
class RecentTimes {
 public:
  void add(std::uint64_t time) { times_[count_++ % kept] = time; }
  void clear() { count_ = 0; }
  std::size_t count() const { return count_ < kept ? count_ : kept; }
  /// 0 where there are none.
  std::uint64_t median() const;
  /// More than this is slower than these times, with what they vary by themselves.
  std::uint64_t clearly_slower() const;
  /// Whether at most one of them is far from the median. Iterations that are not alike, as those of a
  /// multigrid solver on its grids, cannot show whether a way gains a few per cent.
  bool alike() const;

 private:
  static constexpr std::size_t kept = 5;
  std::array<std::uint64_t, kept> times_{};
  std::size_t count_ = 0;
};

/// Of one loop. The caller sees to it that one thread calls at a time.
class Trial {
 public:
  enum class Way : std::uint8_t { plain, other };
  using State = TrialState;
  /// Of an iteration: less than this is not worth a trial.
  static constexpr double least_share = 0.03;

  /// The share of the iteration that ends next which the other way could save, or saves, at
  /// most. Of one that went the other way it need not be said.
  void predict(double share) { share_ = share; }
  /// Whether a way that is doubted may be tried again without begin().
  void permit(bool permitted) { permitted_ = permitted; }
  /// An iteration has ended that began with way(). Gives the way of the next one.
  Way iteration(std::uint64_t nanoseconds);
  /// The iteration that runs is not to be judged: the loop was left, or what it does has
  /// changed.
  void interrupted() { unsettled_ = true; }
  /// Whether the plain way has been watched for long enough to be compared with another one.
  bool ready() const;
  /// Whether the next iteration, on the plain way, had better be a glance: one that shows what there is to
  /// gain, where that costs something to see, and whose time counts for nothing.
  bool wants_glance() const { return ready() && count_ >= next_glance_; }
  /// A glance has ended: `share` of that iteration could have been saved, and it has taken so long with what
  /// it cost to see that.
  void glanced(double share, std::uint64_t nanoseconds);
  /// A glance of so long has ended that had to pay for what the next one does not: that one follows.
  void glance_again(std::uint64_t nanoseconds);
  /// Whether an iteration took clearly longer than the plain way does.
  bool is_slow(std::uint64_t nanoseconds) const { return nanoseconds > plain_.clearly_slower(); }
  /// Tries the other way from the next iteration on, where the caller knows that it pays. False where the
  /// plain way is not watched. `agreed`: with other ranks, without which it is not tried again either.
  bool begin(double planned, bool agreed = false);
  /// Another rank has ended the other way: the plain one is watched anew.
  void release();

  Way way() const { return state_ == State::trying || state_ == State::kept ? Way::other : Way::plain; }
  State state() const { return state_; }
  /// "watching", "trying", "kept", "doubted", "refused".
  const char* name() const { return name_of(state_); }

 private:
  static constexpr double pays = 0.98;  // it has to pay, not merely to break even
  static constexpr std::size_t plain_wanted = 3, other_wanted = 4;
  static constexpr std::uint64_t first_pause = 16, longest_pause = 4096, first_stay = 128,
                                 longest_stay = 16384, first_glances = 16;
  static constexpr double price = 0.01;  // of the time between two trials, or glances

  void plain_iteration(std::uint64_t time);
  void tried_iteration(std::uint64_t time);
  void kept_iteration(std::uint64_t time);
  void doubted_iteration(std::uint64_t time);
  /// The next number of iterations, after half of `pause`, to which other ranks come with the same pause, and
  /// with twice and half of it.
  std::uint64_t meeting_after(std::uint64_t pause) const;
  void enter(State state);
  void doubt();
  void refuse();
  /// The iterations in which what has been lost is no more than its price.
  std::uint64_t repaid_in(double lost) const;

  State state_ = State::watching;
  bool unsettled_ = true;           // the first iteration of a way still carries the other's consequences
  double share_ = 0, planned_ = 0;  // of an iteration: to save now; to save when the trial began
  RecentTimes plain_, other_;
  int in_vain_ = 0;          // in a row, of a way that is kept: clearly slower ones, or with nothing to save
  double lost_ = 0;          // by the trial so far, in nanoseconds
  double glances_lost_ = 0;  // by glances, since the last one that was believed
  std::uint64_t reference_ = 0;                     // a plain iteration when the last decision was made
  std::uint64_t count_ = 0;                         // iterations so far
  std::uint64_t since_ = 0;                         // iterations in this state
  std::uint64_t pauses_ = first_pause;              // iterations before the next trial, about
  std::uint64_t stay_ = first_stay;                 // iterations before the plain way is looked at again
  std::uint64_t next_trial_ = 0, next_glance_ = 0;  // not before count_ is so high
  std::uint64_t glances_ = first_glances;           // iterations between two of them, about
  bool gained_ = false, pardoned_ = false;          // the trial: in an iteration; one that was slow
  bool permitted_ = true;
  bool agreed_ = false;     // the trial began with other ranks
  bool paid_long_ = false;  // what is doubted was kept for a while
};

}  // namespace lapwing::transfer
