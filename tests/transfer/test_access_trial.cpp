// SPDX-License-Identifier: Apache-2.0
#include "transfer/windows/access_trial.hpp"

#include <gtest/gtest.h>

namespace {

using lapwing::transfer::AccessTrial;
using State = AccessTrial::State;

constexpr std::size_t bytes = 1 << 20;
constexpr std::uint64_t long_wait = 10'000'000;

// One get costs the program so much time: standing still, and until the next get.
struct Cost {
  std::uint64_t exposed, period;
};

// One get after another: how many of them were deferred.
int deferred_of(AccessTrial& trial, int gets, Cost plainly, Cost deferred) {
  static std::uint64_t now = 1;
  int count = 0;
  for (int i = 0; i < gets; ++i) {
    if (trial.defers(now)) {
      ++count;
      trial.was_deferred(bytes, deferred.exposed);
      now += deferred.period;
    } else {
      trial.went_plainly(bytes, plainly.exposed);
      now += plainly.period;
    }
  }
  return count;
}

// Where the program computes nothing.
int deferred_of(AccessTrial& trial, int gets, std::uint64_t plainly, std::uint64_t deferred) {
  return deferred_of(trial, gets, Cost{plainly, plainly}, Cost{deferred, deferred});
}

TEST(AccessTrial, WatchesBeforeItTries) {
  AccessTrial trial;
  EXPECT_EQ(deferred_of(trial, AccessTrial::sample, long_wait, 0), 0);
  EXPECT_EQ(trial.state(), State::trying);
}

TEST(AccessTrial, DefersWhatPays) {
  AccessTrial trial;
  deferred_of(trial, 2 * AccessTrial::sample, long_wait, long_wait / 2);
  EXPECT_EQ(trial.state(), State::deferring);
  EXPECT_GT(deferred_of(trial, 1000, long_wait, long_wait / 2), 950);
}

TEST(AccessTrial, DefersWhatShortensTheLoopWithoutFewerWaits) {
  AccessTrial trial;
  const Cost plainly{long_wait, 2 * long_wait}, faster{long_wait - 1, 17 * long_wait / 10};
  deferred_of(trial, 2 * AccessTrial::sample, plainly, faster);
  EXPECT_EQ(trial.state(), State::deferring);
  AccessTrial other;
  deferred_of(other, 2 * AccessTrial::sample, plainly, {long_wait - 1, 2 * long_wait});
  EXPECT_EQ(other.state(), State::resting);
}

TEST(AccessTrial, NeverTriesWhereNothingIsWaitedFor) {
  AccessTrial trial;
  EXPECT_EQ(deferred_of(trial, 100'000, AccessTrial::least_wait / 2, 0), 0);
}

TEST(AccessTrial, EndsATrialAtItsFirstClearLoss) {
  AccessTrial trial;
  EXPECT_EQ(deferred_of(trial, 50, long_wait, 2 * long_wait), 1);
  EXPECT_EQ(trial.state(), State::resting);
}

TEST(AccessTrial, RestsLongerEachTime) {
  AccessTrial trial;
  // A gain that is not clear costs four gets in each of ever rarer trials.
  EXPECT_LT(deferred_of(trial, 10'000, long_wait, long_wait), 40);
}

TEST(AccessTrial, ReturnsToPlainGetsWhenThePaymentEnds) {
  AccessTrial trial;
  deferred_of(trial, 2 * AccessTrial::sample, long_wait, long_wait / 2);
  EXPECT_LT(deferred_of(trial, 10'000, long_wait, long_wait), 300);
}

}  // namespace
