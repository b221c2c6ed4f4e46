// SPDX-License-Identifier: Apache-2.0
// When another way is tried, when it is kept, and what a trial may cost.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <random>

#include "transfer/decisions/trial.hpp"

namespace {

using lapwing::transfer::Trial;
using Way = Trial::Way;
using State = Trial::State;

constexpr std::uint64_t ms = 1'000'000;

// A loop whose iterations take `plain` or `other`, and what all of them took beyond the plain way.
class Loop {
 public:
  using Times = std::function<std::uint64_t(int)>;
  Loop(Times plain, Times other, double share = 0.2)
      : plain_(std::move(plain)), other_(std::move(other)), share_(share) {}

  void run(int iterations) {
    for (int i = 0; i < iterations; ++i, ++count_) {
      const Way way = trial.way();
      const std::uint64_t plain = plain_(count_), time = way == Way::other ? other_(count_) : plain;
      if (way == Way::plain) trial.predict(share_);
      others += way == Way::other;
      used += time;
      needed += plain;
      trial.iteration(time);
    }
  }
  double slowdown() const { return static_cast<double>(used) / static_cast<double>(needed); }

  Trial trial;
  int others = 0;
  std::uint64_t used = 0, needed = 0;

 private:
  Times plain_, other_;
  double share_;
  int count_ = 0;
};

// Repeatable, up to `share` more than `time`.
Loop::Times about(std::uint64_t time, double share) {
  return [=](int i) {
    const auto mixed = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u >> 40;
    return time + static_cast<std::uint64_t>(static_cast<double>(time) * share * static_cast<double>(mixed) /
                                             (1 << 24));
  };
}
Loop::Times exactly(std::uint64_t time) { return about(time, 0); }

TEST(Trial, NothingIsTriedWhereNothingCanBeGained) {
  Loop loop(exactly(10 * ms), exactly(5 * ms), 0.02);
  loop.run(1000);
  EXPECT_EQ(loop.others, 0);
  EXPECT_EQ(loop.trial.state(), State::watching);
}

TEST(Trial, ThePlainWayIsWatchedFirst) {
  Loop loop(exactly(10 * ms), exactly(5 * ms));
  loop.run(3);
  EXPECT_EQ(loop.others, 0);
  loop.run(2);
  EXPECT_GT(loop.others, 0);
}

TEST(Trial, WhatPaysIsKept) {
  Loop loop(about(10 * ms, 0.02), about(8 * ms, 0.02));
  loop.run(20);
  EXPECT_EQ(loop.trial.state(), State::kept);
  loop.run(2000);
  EXPECT_GT(loop.others, 1950);
}

TEST(Trial, ATrialEndsAtItsFirstClearlySlowerIteration) {
  Loop loop(about(10 * ms, 0.02), about(18 * ms, 0.02));
  loop.run(10);
  EXPECT_EQ(loop.trial.state(), State::refused);
  EXPECT_EQ(loop.others, 1);
  Loop milder(about(10 * ms, 0.02), about(11 * ms, 0.02));
  milder.run(10);
  EXPECT_EQ(milder.trial.state(), State::refused);
  EXPECT_LE(milder.others, 2);
}

TEST(Trial, WhatMerelyBreaksEvenIsRefused) {
  Loop loop(exactly(10 * ms), exactly(10 * ms));
  loop.run(12);
  EXPECT_EQ(loop.trial.state(), State::refused);
}

TEST(Trial, AMistakenWayCostsLittleInTheLongRun) {
  for (const double slower : {1.02, 1.1, 1.5, 3.0, 20.0}) {
    Loop loop(about(10 * ms, 0.03), about(static_cast<std::uint64_t>(10.0 * ms * slower), 0.03));
    loop.run(1000);
    loop.used = loop.needed = 0;
    loop.run(4000);
    EXPECT_LT(loop.slowdown(), 1.011) << slower;
  }
}

TEST(Trial, AKeptWayIsGivenUpWhenItNoLongerPays) {
  bool late = false;
  Loop loop(exactly(10 * ms), [&](int) { return late ? 12 * ms : 8 * ms; });
  loop.run(50);
  ASSERT_EQ(loop.trial.state(), State::kept);
  late = true;
  loop.run(3);
  EXPECT_EQ(loop.trial.way(), Way::plain);
}

TEST(Trial, AKeptWayIsTriedAnewAtOnceWhereBothWaysBecomeSlower) {
  bool late = false;
  Loop loop([&](int) { return late ? 14 * ms : 10 * ms; }, [&](int) { return late ? 11 * ms : 8 * ms; });
  loop.run(50);
  ASSERT_EQ(loop.trial.state(), State::kept);
  late = true;
  loop.run(14);
  EXPECT_EQ(loop.trial.state(), State::kept);
}

// A trial after five plain iterations of 10 ms, the first one of which is not judged.
Trial::State after_trial_of(std::initializer_list<std::uint64_t> times) {
  Trial trial;
  trial.predict(0.2);
  for (int i = 0; i < 5; ++i) trial.iteration(10 * ms);
  EXPECT_EQ(trial.state(), State::trying);
  for (const std::uint64_t time : times) trial.iteration(time * ms);
  return trial.state();
}

TEST(Trial, OneSlowIterationDoesNotEndATrialThatHasGained) {
  EXPECT_EQ(after_trial_of({8, 13}), State::trying);
  EXPECT_EQ(after_trial_of({8, 13, 8, 8, 8}), State::kept);
}

TEST(Trial, ASlowIterationEndsATrialThatHasGainedNothing) {
  EXPECT_EQ(after_trial_of({13}), State::refused);
  EXPECT_EQ(after_trial_of({10, 13}), State::refused);
}

TEST(Trial, ASecondSlowIterationOrAVerySlowOneEndsATrial) {
  EXPECT_EQ(after_trial_of({8, 14, 14}), State::refused);
  EXPECT_EQ(after_trial_of({8, 30}), State::refused);
}

TEST(Trial, OneSlowIterationDoesNotEndWhatPays) {
  Loop loop(exactly(10 * ms), [](int i) { return i == 40 ? 30 * ms : 8 * ms; });
  loop.run(60);
  EXPECT_EQ(loop.trial.state(), State::kept);
}

TEST(Trial, AWayThatPaysIsKeptOnAMachineWhoseTimesVary) {
  Loop loop(about(10 * ms, 0.4), about(8 * ms, 0.4));
  loop.run(4000);
  EXPECT_GT(loop.others, 3400);
}

TEST(Trial, AnotherProblemIsTriedAnewBeforeLong) {
  bool late = false;
  Loop loop([&](int) { return late ? 40 * ms : 10 * ms; }, [&](int) { return late ? 25 * ms : 30 * ms; });
  loop.run(2000);
  ASSERT_EQ(loop.trial.state(), State::refused);
  late = true;
  loop.run(40);
  EXPECT_EQ(loop.trial.state(), State::kept);
}

TEST(Trial, ThePlainWayIsLookedAtAgain) {
  bool late = false;
  Loop loop([&](int) { return late ? 6 * ms : 10 * ms; }, exactly(8 * ms));
  loop.run(50);
  ASSERT_EQ(loop.trial.state(), State::kept);
  late = true;
  loop.run(200);
  EXPECT_EQ(loop.trial.way(), Way::plain);
}

// What a multigrid solver does between two exchanges of its finest grid differs by a factor of a hundred.
TEST(Trial, IterationsThatAreNotAlikeAreNotTried) {
  Loop loop(
      [](int i) {
        return std::array{30 * ms, ms / 10, 3 * ms, 90 * ms}[static_cast<std::size_t>(i % 4)];
      },
      exactly(ms));
  loop.run(1000);
  EXPECT_EQ(loop.others, 0);
  EXPECT_EQ(loop.trial.state(), State::watching);
}

TEST(Trial, OneDisturbedIterationDoesNotPreventATrial) {
  Loop loop([](int i) { return i == 2 ? 40 * ms : 10 * ms; }, exactly(8 * ms));
  loop.run(20);
  EXPECT_EQ(loop.trial.state(), State::kept);
}

TEST(Trial, AGainBeyondWhatThereWasToGainIsNoneOfItsOwn) {
  Loop loop(exactly(10 * ms), exactly(3 * ms), 0.1);
  loop.run(12);
  EXPECT_EQ(loop.trial.state(), State::refused);
}

TEST(Trial, AnInterruptedIterationIsNotJudged) {
  Trial trial;
  for (int i = 0; i < 20 && trial.state() != State::trying; ++i) {
    trial.predict(0.2);
    trial.iteration(10 * ms);
  }
  ASSERT_EQ(trial.state(), State::trying);
  trial.iteration(9 * ms);
  trial.interrupted();
  trial.iteration(12 * ms);
  EXPECT_EQ(trial.state(), State::trying);
}

TEST(Trial, AWayThatPaidIsTriedAnewWithoutAGlanceWhereItMay) {
  for (const bool may : {true, false}) {
    Trial trial;
    for (int i = 0; i < 5; ++i) trial.iteration(10 * ms);
    trial.glanced(0.2, 10 * ms);
    for (int i = 0; i < 40; ++i) trial.iteration(8 * ms);
    ASSERT_EQ(trial.state(), State::kept);
    for (int i = 0; i < 2; ++i) trial.iteration(11 * ms);
    EXPECT_EQ(trial.state(), State::doubted);
    trial.permit(may);
    for (int i = 0; i < 4; ++i) trial.iteration(14 * ms);
    EXPECT_EQ(trial.state(), may ? State::trying : State::refused);
  }
}

TEST(Trial, AGlanceThatSaysNothingIsRepeatedAndPaidFor) {
  Trial trial;
  for (int i = 0; i < 5; ++i) trial.iteration(10 * ms);
  ASSERT_TRUE(trial.wants_glance());
  trial.glance_again(20 * ms);
  trial.iteration(10 * ms);
  EXPECT_TRUE(trial.wants_glance());
  trial.glanced(0, 20 * ms);
  int pause = 0;
  for (; !trial.wants_glance(); ++pause) trial.iteration(10 * ms);
  // Two iterations were lost, of which a hundredth of the time may be.
  EXPECT_GE(pause, 100);
}

// A machine whose speed drifts, and which now and then does something else; repeatable.
class Machine {
 public:
  explicit Machine(std::uint64_t seed) : random_(seed) {}
  /// The time of the next iteration, in those of a calm machine.
  double next() {
    drift_ = 0.95 * drift_ + 0.05 * (2 * uniform() - 1);
    return std::max(0.7, 1 + drift_ + 0.03 * uniform() + (uniform() < 0.1 ? 0.6 * uniform() : 0));
  }

 private:
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  std::mt19937_64 random_;
  double drift_ = 0;
};

// Pairs of ranks that wait for each other in each iteration, which takes so many times the plain one where
// both go the other way, or one of them.
struct Pairs {
  static constexpr int machines = 50;
  double both = 1, one = 1;
  double used = 0, needed = 0;
  int iterations = 0, together = 0;

  // The first rank comes to the loop so many iterations earlier.
  void run(int each, int head_start = 0) {
    for (std::uint64_t seed = 1; seed <= machines; ++seed) {
      Machine machine(seed);
      std::array<Trial, 2> ranks;
      for (int i = 0; i < head_start; ++i) iterate(ranks[0], 20 * ms);
      for (int i = 0; i < each; ++i, ++iterations) {
        const int others = (ranks[0].way() == Way::other) + (ranks[1].way() == Way::other);
        const double plain = 20.0 * ms * machine.next();
        const double time = plain * std::array{1.0, one, both}[static_cast<std::size_t>(others)];
        used += time;
        needed += plain;
        together += others == 2;
        for (Trial& rank : ranks) iterate(rank, static_cast<std::uint64_t>(time));
      }
    }
  }

 private:
  static void iterate(Trial& rank, std::uint64_t time) {
    if (rank.way() == Way::plain) rank.predict(0.25);
    rank.iteration(time);
  }
};

TEST(Trial, RanksThatGainOnlyTogetherDoSoOnAMachineWhoseSpeedDrifts) {
  Pairs pairs{0.83, 1.0};
  pairs.run(300);
  EXPECT_GT(pairs.together, pairs.iterations * 9 / 10);
}

TEST(Trial, RanksThatAreAnIterationOrTwoApartMeet) {
  for (const int head_start : {1, 2}) {
    Pairs pairs{0.83, 1.0};
    pairs.run(600, head_start);
    EXPECT_GT(pairs.together, pairs.iterations * 4 / 5) << head_start;
  }
}

TEST(Trial, RanksThatLoseTogetherLoseLittle) {
  for (const double both : {1.0, 1.02, 1.1, 1.3, 2.0}) {
    Pairs pairs{both, (1 + both) / 2};
    pairs.run(500);
    EXPECT_LT(pairs.used / pairs.needed, 1.01) << both;
  }
}

}  // namespace
