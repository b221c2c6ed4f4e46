// SPDX-License-Identifier: Apache-2.0
// When transfers that the compiler has split go in flight: programs of known times, judged.
#include <gtest/gtest.h>

#include "transfer/decisions/split_judge.hpp"

namespace {

using lapwing::transfer::SplitJudge;

constexpr std::uint64_t ms = 1'000'000;

// Each iteration has `transfers` of them, which make the program wait for `wait` unless they are
// in flight, and are needed after `compute`. In flight they cost `price` and hide what they can.
struct Program {
  int transfers;
  std::uint64_t wait, compute, price;

  void iterate(SplitJudge& judge, int iterations) {
    for (int i = 0; i < iterations; ++i) {
      const std::uint64_t begun = now;
      for (int t = 0; t < transfers; ++t) {
        if (judge.begins(static_cast<std::uint64_t>(t + 1), now)) {
          ++split;
          now += price + compute + (wait > compute ? wait - compute : 0);
        } else {
          now += wait + compute;
          judge.went_plainly(wait, compute);
        }
      }
      now += 3 * ms;
      used += now - begun;
      needed += static_cast<std::uint64_t>(transfers) * (wait + compute) + 3 * ms;
    }
  }

  std::uint64_t now = ms, used = 0, needed = 0;
  int split = 0;
};

TEST(SplitJudge, WhatHidesIsSplit) {
  SplitJudge judge;
  Program program{2, 2 * ms, 3 * ms, ms / 10};
  program.iterate(judge, 100);
  EXPECT_TRUE(judge.splits());
  EXPECT_GT(program.split, 180);
}

TEST(SplitJudge, WhatIsNeededAtOnceIsNeverSplit) {
  SplitJudge judge;
  Program program{2, 50 * ms, 1000, 0};
  program.iterate(judge, 500);
  EXPECT_EQ(program.split, 0);
}

TEST(SplitJudge, WhatNobodyWaitsForIsNeverSplit) {
  SplitJudge judge;
  Program program{2, 1000, 50 * ms, 0};
  program.iterate(judge, 500);
  EXPECT_EQ(program.split, 0);
}

TEST(SplitJudge, WhatCostsMoreThanItHidesIsSplitSeldom) {
  SplitJudge judge;
  Program program{1, 2 * ms, 3 * ms, 6 * ms};
  program.iterate(judge, 1000);
  EXPECT_FALSE(judge.splits());
  EXPECT_LT(static_cast<double>(program.used) / static_cast<double>(program.needed), 1.02);
}

TEST(SplitJudge, NothingIsSplitOutsideOfLoops) {
  SplitJudge judge;
  for (std::uint64_t i = 0, now = 0; i < 2000; ++i, now += ms) {
    EXPECT_FALSE(judge.begins(i * 77, now));
    judge.went_plainly(ms / 2, ms / 2);
  }
}

TEST(SplitJudge, AnotherLoopIsJudgedForItself) {
  SplitJudge judge;
  Program pays{2, 2 * ms, 3 * ms, 0}, does_not{3, 2 * ms, 1000, 0};
  pays.iterate(judge, 50);
  EXPECT_TRUE(judge.splits());
  does_not.now = pays.now;
  does_not.iterate(judge, 50);
  EXPECT_FALSE(judge.splits());
  const int before = pays.split;
  pays.now = does_not.now;
  pays.iterate(judge, 50);
  EXPECT_GT(pays.split - before, 75);
}

}  // namespace
