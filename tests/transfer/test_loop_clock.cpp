// SPDX-License-Identifier: Apache-2.0
// Which loop the clock finds in a sequence of arrivals, and what it says an iteration takes.
#include <gtest/gtest.h>

#include <vector>

#include "transfer/decisions/loop_clock.hpp"

namespace {

using lapwing::transfer::LoopClock;

// A program: each arrival takes ten nanoseconds, so that an iteration's time tells its length.
class Program {
 public:
  std::vector<std::uint64_t> run(const std::vector<std::uint64_t>& keys, int times = 1) {
    std::vector<std::uint64_t> iterations;
    for (int i = 0; i < times; ++i) {
      for (const std::uint64_t key : keys) {
        if (const auto time = clock.arrive(key, now += 10)) iterations.push_back(*time);
      }
    }
    return iterations;
  }
  LoopClock clock;
  std::uint64_t now = 1000;
};

using Times = std::vector<std::uint64_t>;

TEST(LoopClock, NothingIsALoopUntilItRepeats) {
  Program program;
  EXPECT_TRUE(program.run({1, 2, 3, 4, 5}).empty());
  EXPECT_FALSE(program.clock.locked());
  EXPECT_EQ(program.clock.period(), 0u);
  EXPECT_TRUE(program.run({1, 2, 3, 4}).empty());
  EXPECT_FALSE(program.clock.locked());
  EXPECT_EQ(program.run({5}), Times{50});
  EXPECT_EQ(program.clock.period(), 5u);
}

TEST(LoopClock, IterationsDoNotOverlap) {
  Program program;
  program.run({1, 2, 3}, 2);
  EXPECT_EQ(program.run({1, 2, 3}, 4), (Times{30, 30, 30, 30}));
}

TEST(LoopClock, AWholeIterationContainsItsComputation) {
  Program program;
  program.run({1, 2, 3}, 3);
  program.now += 500;
  EXPECT_EQ(program.run({1, 2, 3}), Times{530});
}

TEST(LoopClock, EqualMessagesWithinAnIterationAreNoLoop) {
  Program program;
  program.run({1, 1, 2}, 2);
  EXPECT_EQ(program.run({1, 1, 2}, 3), (Times{30, 30, 30}));
}

TEST(LoopClock, ManyEqualMessagesWithinAnIterationAreSoonNoLoop) {
  Program program;
  program.run({1, 1, 1, 1, 1, 2}, 3);
  EXPECT_EQ(program.clock.period(), 6u);
  EXPECT_EQ(program.run({1, 1, 1, 1, 1, 2}, 2), (Times{60, 60}));
}

// An exchange in both directions and back: forces after positions, as molecular dynamics has them.
TEST(LoopClock, ThereAndBackIsALoop) {
  Program program;
  const std::vector<std::uint64_t> step{1, 2, 1, 2, 3, 4, 3, 4};
  program.run(step, 2);
  EXPECT_EQ(program.clock.period(), 8u);
  EXPECT_EQ(program.run(step, 3), (Times{80, 80, 80}));
}

TEST(LoopClock, ALoopWithAShortInnerOneIsFound) {
  Program program;
  const std::vector<std::uint64_t> outer{7, 8, 1, 2, 1, 2, 1, 2, 1, 2};
  program.run(outer, 3);
  EXPECT_EQ(program.clock.period(), 10u);
  EXPECT_EQ(program.run(outer, 2), (Times{100, 100}));
}

TEST(LoopClock, AnInnerLoopIsALoopOfItsOwn) {
  Program program;
  const std::vector<std::uint64_t> inner{1, 2};
  std::uint64_t loop = 0;
  for (int outer = 0; outer < 5; ++outer) {
    program.run({7, 8});
    const Times times = program.run(inner, 25);
    EXPECT_GE(times.size(), 20u);
    for (const std::uint64_t time : times) EXPECT_EQ(time, 20u);
    EXPECT_EQ(program.clock.period(), 2u);
    if (outer > 0) {
      EXPECT_EQ(program.clock.loop(), loop);
    }
    loop = program.clock.loop();
  }
}

TEST(LoopClock, ALoopHasOneNameWhereverItIsEntered) {
  Program first, second;
  first.run({1, 2, 3}, 3);
  second.run({3, 1, 2}, 3);
  EXPECT_EQ(first.clock.loop(), second.clock.loop());
  Program other;
  EXPECT_EQ(other.clock.loop(), 0u);
  other.run({1, 2, 4}, 3);
  EXPECT_NE(other.clock.loop(), first.clock.loop());
}

TEST(LoopClock, AnotherSizeIsAnotherLoop) {
  Program program;
  program.run({1, 2}, 20);
  const std::uint64_t loop = program.clock.loop();
  program.run({1, 3}, 40);
  EXPECT_TRUE(program.clock.locked());
  EXPECT_NE(program.clock.loop(), loop);
}

TEST(LoopClock, ABreakIsNotCountedAsAnIteration) {
  Program program;
  program.run({1, 2}, 20);
  EXPECT_TRUE(program.run({9}).empty());
  program.now += 100'000;
  EXPECT_EQ(program.run({1, 2}, 4), (Times{20, 20}));
}

TEST(LoopClock, WhatNeverRepeatsHasNoIterations) {
  Program program;
  std::uint64_t key = 12345;
  for (int i = 0; i < 20'000; ++i) {
    key = key * 6364136223846793005u + 1442695040888963407u;
    EXPECT_TRUE(program.run({key >> 20}).empty());
  }
}

TEST(LoopClock, WhatIsLongerThanItRemembersHasNoIterations) {
  Program program;
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 2000; ++i) keys.push_back(i);
  EXPECT_TRUE(program.run(keys, 3).empty());
}

}  // namespace
