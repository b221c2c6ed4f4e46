// SPDX-License-Identifier: Apache-2.0
// The decision about a communicator's collectives follows from sums and numbers alone.
#include "transfer/collectives/agreement.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "transfer/collectives/call_times.hpp"

namespace {

using lapwing::transfer::Agreement;
using lapwing::transfer::CallTimes;
using lapwing::transfer::Vote;
using State = Agreement::State;

constexpr int members = 2;

// Votes of two members: what each says while plain, and what the deferred way takes.
struct Job {
  double share = 0.1, ratio = 0.9, period = 1, other_period = 0, cannot = 0, unready = 0;

  Vote sums() const {
    Vote sums;
    const double second = other_period > 0 ? other_period : period;
    sums[Vote::cannot] = cannot;
    sums[Vote::unready] = unready;
    sums[Vote::period] = period + second;
    sums[Vote::period_squared] = period * period + second * second;
    sums[Vote::share] = members * share;
    sums[Vote::ratio] = members * ratio;
    return sums;
  }
};

// Runs calls as GroupCalls does; gives whether the last was deferred.
bool run(Agreement& agreement, const Job& job, int calls) {
  for (int i = 0; i < calls; ++i) {
    const bool voted = agreement.votes();
    agreement.begin_call();
    if (voted) agreement.decide(job.sums(), members);
  }
  return agreement.defers();
}

TEST(Agreement, TheFirstCallsArePlain) {
  Agreement agreement(false);
  EXPECT_FALSE(run(agreement, {}, 4));
  EXPECT_TRUE(run(agreement, {}, 1));
  EXPECT_EQ(agreement.state(), State::trying);
}

TEST(Agreement, AlwaysIsFromTheFirstCallAndWithoutVotes) {
  Agreement agreement(true);
  for (int i = 0; i < 1000; ++i) {
    agreement.begin_call();
    EXPECT_TRUE(agreement.defers());
    EXPECT_FALSE(agreement.votes());
  }
}

TEST(Agreement, KeepsWhatPaysAndLooksAgain) {
  Agreement agreement(false);
  run(agreement, {}, 12);
  EXPECT_EQ(agreement.state(), State::kept);
  bool looked = false;
  for (int i = 0; i < 400; ++i) {
    run(agreement, {}, 1);
    looked |= !agreement.defers();
  }
  EXPECT_TRUE(looked);
}

TEST(Agreement, GivesUpWhatIsSlowerAtOnce) {
  Agreement agreement(false);
  Job job;
  job.ratio = 1.5;
  run(agreement, job, 5);
  EXPECT_EQ(agreement.state(), State::trying);
  EXPECT_FALSE(run(agreement, job, 2));
  EXPECT_EQ(agreement.state(), State::refused);
}

TEST(Agreement, GivesUpWhatDoesNotPayAndWaitsLongerEachTime) {
  Agreement agreement(false);
  Job job;
  job.ratio = 1;
  int trials = 0, deferred = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool before = agreement.defers();
    deferred += run(agreement, job, 1);
    trials += agreement.defers() && !before;
  }
  EXPECT_GT(trials, 2);
  EXPECT_LT(trials, 8);
  EXPECT_LT(deferred, 40);
}

TEST(Agreement, NeverTriesWhereAMemberCannotOrNothingIsToBeGained) {
  for (const Job& job : {Job{.cannot = 1}, Job{.share = 0.01}, Job{.unready = 1},
                         Job{.period = 1, .other_period = 2}, Job{.period = 0}}) {
    Agreement agreement(false);
    for (int i = 0; i < 500; ++i) EXPECT_FALSE(run(agreement, job, 1));
  }
}

TEST(Agreement, StopsWhenAMemberCannotAnyMore) {
  Agreement agreement(false);
  run(agreement, {}, 20);
  ASSERT_TRUE(agreement.defers());
  Job job;
  job.cannot = 1;
  EXPECT_FALSE(run(agreement, job, 20));
}

// A loop of two calls that do not take the same time.
TEST(CallTimes, KnowTheIterationOfALoop) {
  CallTimes times;
  std::uint64_t now = 0;
  const char sites[2] = {};
  for (int i = 0; i < 9; ++i) {
    times.begin(&sites[i % 2], 1000, now);
    times.went_plainly(30);
    now += i % 2 ? 100 : 500;
  }
  EXPECT_EQ(times.period(), 2u);
  EXPECT_EQ(times.iteration(2, 3), 600u);
  EXPECT_NEAR(times.share(2), 0.1, 1e-9);
}

TEST(CallTimes, CountFromTheChange) {
  CallTimes times;
  std::uint64_t now = 0;
  const char site = 0;
  for (int i = 0; i < 8; ++i) times.begin(&site, 1000, now += 100);
  EXPECT_EQ(times.period(), 1u);
  times.changed();
  EXPECT_EQ(times.iteration(1, 1), 0u);
  times.begin(&site, 1000, now += 70);
  EXPECT_EQ(times.iteration(1, 1), 70u);
  EXPECT_EQ(times.iteration(1, 3), 0u);
}

TEST(CallTimes, SizesThatDifferALittleAreOneLoop) {
  CallTimes times;
  const char site = 0;
  for (std::size_t i = 0; i < 6; ++i) times.begin(&site, 1000000 + i % 3 * 70000, i);
  EXPECT_EQ(times.period(), 1u);
  times.begin(&site, 10, 7);
  EXPECT_EQ(times.period(), 0u);
}

}  // namespace
