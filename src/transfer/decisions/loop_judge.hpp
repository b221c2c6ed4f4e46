// SPDX-License-Identifier: Apache-2.0
// Which way the transfers of a program's loop go: each as the program wrote it, or
// overlapped, that is with somebody to move it while the program computes.
//
// Going the plain way shows without any risk what there is to gain: how long a
// transfer made the program wait, and how long the program then computed before it
// needed what it had waited for. The lesser of the two could have been hidden. Each
// loop has a trial of its own, whose states are watching, trying, kept and refused
// (trial.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "transfer/decisions/loop_clock.hpp"
#include "transfer/decisions/trial.hpp"

namespace lapwing::transfer {

/// The caller sees to it that one thread calls at a time. Times in nanoseconds.
class LoopJudge {
 public:
  /// A transfer of weight begins; `key` is of its call site, size and partner. Whether
  /// it, and all until the next one begins, are to be overlapped.
  bool begins(std::uint64_t key, std::uint64_t now);
  /// Of a transfer that went the plain way, and was needed after the program had
  /// `computed` for so long.
  void went_plainly(std::uint64_t waited, std::uint64_t computed);
  /// Of an overlapped one. No more than that can have been hidden.
  void went_overlapped(std::uint64_t computed);

  bool overlaps() const { return overlaps_; }
  /// Whether a loop that has been divided runs its early rounds first. That costs something of its own, so
  /// it is done where transfers are overlapped, and in a glance at what it could hide. Asked wherever such a
  /// loop stands. `flight`: about how long the messages before it take at most, as the plain way has shown.
  bool divides(std::uint64_t* flight = nullptr);
  /// A divided loop has looked at its index lists, and remembers what it has found: the next time costs less.
  void looked() { looked_ = true; }
  /// Whether the other way may be tried without begin_trial().
  void permit(bool permitted) { permitted_ = permitted; }
  /// Tries the other way from here on, the beginning of an iteration, as other ranks do. `planned`: the share
  /// of an iteration that it could save, theirs included. False, and nothing is tried, where this loop is not
  /// watched.
  bool begin_trial(double planned) { return overlaps_ = loop_ && loop_->trial.begin(planned, true); }
  /// The iteration that begins is not to be judged.
  void interrupted() {
    if (loop_) loop_->trial.interrupted();
  }
  /// The other way has ended for a reason of another rank's.
  void release() {
    if (loop_) loop_->trial.release();
    overlaps_ = false;
  }
  /// Whole iterations so far, and the time of the last.
  std::uint64_t iterations() const { return iterations_; }
  std::uint64_t iteration_ns() const { return iteration_ns_; }
  /// Of the loop at hand, for those who look on; null outside of one.
  const Trial* trial() const { return loop_ ? &loop_->trial : nullptr; }

 private:
  static constexpr std::size_t most_divided = 16;  // those beyond count as the first ones again
  static constexpr int most_repeated = 2;          // glances in a row that say nothing
  static constexpr std::uint64_t seldom = 8;       // so many divided iterations lie between two looks
  struct Loop {
    std::uint64_t name = 0;
    std::uint64_t seen = 0;
    std::size_t divided = 0;            // loops in it that have been, as often as an iteration comes to them
    int repeated = 0;                   // glances, since the last one that was believed
    std::uint64_t since_look = seldom;  // divided ones, since one that looked at index lists
    double exposed = 0;                 // of a plain iteration: waiting
    std::array<std::uint64_t, most_divided> waits{};  // of a plain iteration, between two divided loops
    Trial trial;
  };
  static constexpr std::size_t most_loops = 8;

  Loop& loop_named(std::uint64_t name);
  /// Of a glance that ends: it took longer than it will the next time, as far as is known.
  bool is_disturbed(std::uint64_t iteration) const;
  void note_waits(std::uint64_t iteration);
  double exposed(std::uint64_t iteration) const;

  LoopClock clock_;
  std::array<Loop, most_loops> loops_{};
  Loop* loop_ = nullptr;
  std::uint64_t begun_ = 0;             // transfers so far
  std::uint64_t hideable_ = 0;          // in this iteration
  std::size_t arrived_ = 0, told_ = 0;  // of it: how many began overlapped, and have told what they hid
  std::array<std::uint64_t, most_divided> waits_{};  // of it, the plain way
  std::size_t divided_ = 0;                          // loops in it, so far
  bool whole_ = false;                               // it has been seen from its beginning
  bool overlaps_ = false;
  bool glances_ = false, looked_ = false;  // in this iteration
  bool permitted_ = true;
  std::uint64_t iterations_ = 0, iteration_ns_ = 0;
};

}  // namespace lapwing::transfer
