// SPDX-License-Identifier: Apache-2.0
#include "transfer/windows/get_trial.hpp"

#include <gtest/gtest.h>

namespace {

using lapwing::transfer::GetTrial;
using State = GetTrial::State;

constexpr std::size_t bytes = 1 << 20;
constexpr std::uint64_t long_wait = 10'000'000;

// One get after another: how many of them were deferred.
int deferred_of(GetTrial& trial, int gets, std::uint64_t plainly, std::uint64_t deferred) {
  int count = 0;
  for (int i = 0; i < gets; ++i) {
    if (trial.defers()) {
      ++count;
      trial.was_deferred(bytes, deferred);
    } else {
      trial.went_plainly(bytes, plainly);
    }
  }
  return count;
}

TEST(GetTrial, WatchesBeforeItTries) {
  GetTrial trial;
  EXPECT_EQ(deferred_of(trial, GetTrial::sample, long_wait, 0), 0);
  EXPECT_EQ(trial.state(), State::trying);
}

TEST(GetTrial, DefersWhatPays) {
  GetTrial trial;
  deferred_of(trial, 2 * GetTrial::sample, long_wait, long_wait / 2);
  EXPECT_EQ(trial.state(), State::deferring);
  EXPECT_GT(deferred_of(trial, 1000, long_wait, long_wait / 2), 950);
}

TEST(GetTrial, NeverTriesWhereNothingIsWaitedFor) {
  GetTrial trial;
  EXPECT_EQ(deferred_of(trial, 100'000, GetTrial::least_wait / 2, 0), 0);
}

TEST(GetTrial, EndsATrialAtItsFirstClearLoss) {
  GetTrial trial;
  EXPECT_EQ(deferred_of(trial, 50, long_wait, 2 * long_wait), 1);
  EXPECT_EQ(trial.state(), State::resting);
}

TEST(GetTrial, RestsLongerEachTime) {
  GetTrial trial;
  // A gain that is not clear costs four gets in each of ever rarer trials.
  EXPECT_LT(deferred_of(trial, 10'000, long_wait, long_wait), 40);
}

TEST(GetTrial, ReturnsToPlainGetsWhenThePaymentEnds) {
  GetTrial trial;
  deferred_of(trial, 2 * GetTrial::sample, long_wait, long_wait / 2);
  EXPECT_LT(deferred_of(trial, 10'000, long_wait, long_wait), 300);
}

}  // namespace
