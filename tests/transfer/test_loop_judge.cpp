// SPDX-License-Identifier: Apache-2.0
// When transfers of a loop are overlapped: programs of known times, judged.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "transfer/decisions/loop_judge.hpp"

namespace {

using lapwing::transfer::LoopJudge;

constexpr std::uint64_t ms = 1'000'000;

// Each iteration has `transfers` of them, which make the program wait for `wait` unless they are
// in flight, and are needed after `compute`. In flight they cost `price` and hide what they can.
struct Program {
  int transfers;
  std::uint64_t wait, compute, price;

  void iterate(LoopJudge& judge, int iterations) {
    for (int i = 0; i < iterations; ++i) {
      const std::uint64_t begun = now;
      for (int t = 0; t < transfers; ++t) {
        if (judge.begins(first_key + static_cast<std::uint64_t>(t), now)) {
          ++split;
          now += price + compute + (wait > compute ? wait - compute : 0);
          judge.went_overlapped(compute);
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
  std::uint64_t first_key = 1;
};

TEST(LoopJudge, WhatHidesIsSplit) {
  LoopJudge judge;
  Program program{2, 2 * ms, 3 * ms, ms / 10};
  program.iterate(judge, 100);
  EXPECT_TRUE(judge.overlaps());
  EXPECT_GT(program.split, 180);
}

TEST(LoopJudge, WhatIsNeededAtOnceIsNeverSplit) {
  LoopJudge judge;
  Program program{2, 50 * ms, 1000, 0};
  program.iterate(judge, 500);
  EXPECT_EQ(program.split, 0);
}

TEST(LoopJudge, WhatNobodyWaitsForIsNeverSplit) {
  LoopJudge judge;
  Program program{2, 1000, 50 * ms, 0};
  program.iterate(judge, 500);
  EXPECT_EQ(program.split, 0);
}

TEST(LoopJudge, WhatCostsMoreThanItHidesIsSplitSeldom) {
  LoopJudge judge;
  Program program{1, 2 * ms, 3 * ms, 6 * ms};
  program.iterate(judge, 1000);
  EXPECT_FALSE(judge.overlaps());
  EXPECT_LT(static_cast<double>(program.used) / static_cast<double>(program.needed), 1.02);
}

TEST(LoopJudge, NothingIsSplitOutsideOfLoops) {
  LoopJudge judge;
  for (std::uint64_t i = 0, now = 0; i < 2000; ++i, now += ms) {
    EXPECT_FALSE(judge.begins(i * 77, now));
    judge.went_plainly(ms / 2, ms / 2);
  }
}

TEST(LoopJudge, AnotherLoopIsJudgedForItself) {
  LoopJudge judge;
  Program pays{2, 2 * ms, 3 * ms, 0}, does_not{3, 2 * ms, 1000, 0};
  pays.iterate(judge, 50);
  EXPECT_TRUE(judge.overlaps());
  does_not.now = pays.now;
  does_not.iterate(judge, 50);
  EXPECT_FALSE(judge.overlaps());
  const int before = pays.split;
  pays.now = does_not.now;
  pays.iterate(judge, 50);
  EXPECT_GT(pays.split - before, 75);
}

// The loop behind each exchange has been divided: it needs what was received at once where it runs as it
// was written, and after `compute` where its early rounds run first, which costs `looks`.
struct DividedProgram {
  std::uint64_t wait, compute, looks;
  bool remembers = false;  // so that only the first look at its index lists costs anything
  int forgets = 0;         // or so, but after so many iterations it has to look again

  void iterate(LoopJudge& judge, int iterations) {
    for (int i = 0; i < iterations; ++i) {
      const bool overlaps = judge.begins(1, now), divides = judge.divides();
      const std::uint64_t begun = now, hidden = overlaps && divides ? std::min(wait, compute) : 0;
      if (forgets > 0 && i % forgets == 0) knows = false;
      const bool has_looked = divides && !knows;
      knows = knows || (divides && (remembers || forgets > 0));
      if (has_looked) judge.looked();
      now += wait + compute - hidden + (has_looked ? looks : 0) + ms;
      overlaps ? judge.went_overlapped(divides ? compute : 0)
               : judge.went_plainly(wait, divides ? compute : 0);
      divided += divides;
      together += divides && overlaps;
      used += now - begun;
      needed += wait + compute + ms;
    }
  }
  double slowdown() const { return static_cast<double>(used) / static_cast<double>(needed); }

  std::uint64_t now = ms, used = 0, needed = 0;
  int divided = 0, together = 0;
  bool knows = false;
};

TEST(LoopJudge, ALoopIsDividedWhereThatPays) {
  LoopJudge judge;
  DividedProgram program{2 * ms, 6 * ms, ms / 2};
  program.iterate(judge, 200);
  EXPECT_TRUE(judge.overlaps());
  EXPECT_GT(program.together, 180);
}

TEST(LoopJudge, LooksThatCostMoreThanTheyHideEndTheDivision) {
  LoopJudge judge;
  DividedProgram program{ms, 6 * ms, 2 * ms};
  program.iterate(judge, 1000);
  EXPECT_FALSE(judge.overlaps());
  EXPECT_EQ(program.together, 0);
  EXPECT_GT(program.divided, 1);
  EXPECT_LT(program.divided, 10);
  EXPECT_LT(program.slowdown(), 1.005);
}

// As a program does that prints in some iterations: what prints may have changed the lists.
TEST(LoopJudge, ListsThatAreForgottenNowAndThenDoNotEndTheDivision) {
  LoopJudge judge;
  DividedProgram program{2 * ms, 6 * ms, 4 * ms};
  program.forgets = 10;
  program.iterate(judge, 200);
  EXPECT_TRUE(judge.overlaps());
  EXPECT_GT(program.together, 170);
}

TEST(LoopJudge, ListsThatAreOftenForgottenEndTheDivisionWhereThatCostsMore) {
  LoopJudge judge;
  DividedProgram program{ms, 6 * ms, 4 * ms};
  program.forgets = 2;
  program.iterate(judge, 1000);
  EXPECT_LT(program.slowdown(), 1.01);
}

TEST(LoopJudge, LooksThatCostLittleOfWhatTheyHideDoNotEndTheDivision) {
  LoopJudge judge;
  DividedProgram program{4 * ms, 6 * ms, ms};
  program.iterate(judge, 200);
  EXPECT_TRUE(judge.overlaps());
  EXPECT_GT(program.together, 180);
}

TEST(LoopJudge, TheFirstLookAtListsThatAreRememberedDoesNotEndTheDivision) {
  LoopJudge judge;
  DividedProgram program{2 * ms, 6 * ms, 4 * ms, true};
  program.iterate(judge, 200);
  EXPECT_TRUE(judge.overlaps());
  EXPECT_GT(program.together, 180);
}

// The wait stays behind the early rounds, beside which the message moves by itself.
TEST(LoopJudge, AGlanceThatLeavesNothingToWaitForHasHiddenIt) {
  LoopJudge judge;
  int together = 0;
  for (std::uint64_t i = 0, now = ms; i < 100; ++i) {
    const bool overlaps = judge.begins(1, now), divides = judge.divides();
    const std::uint64_t waits = divides ? 0 : 2 * ms;
    overlaps ? judge.went_overlapped(6 * ms) : judge.went_plainly(waits, 0);
    now += waits + 7 * ms;
    together += overlaps && divides;
  }
  EXPECT_TRUE(judge.overlaps());
  EXPECT_GT(together, 80);
}

TEST(LoopJudge, ALoopThatNobodyWaitsBeforeIsNeverDivided) {
  LoopJudge judge;
  DividedProgram program{1000, 6 * ms, 2 * ms};
  program.iterate(judge, 1000);
  EXPECT_EQ(program.divided, 0);
}

// Two exchanges in an iteration, each before a divided loop; the first blocks where it starts.
TEST(LoopJudge, ALoopLooksForAboutAsLongAsItsMessagesTake) {
  LoopJudge judge;
  std::uint64_t now = ms, first = 0, second = 0;
  for (int i = 0; i < 8; ++i) {
    for (const bool is_first : {true, false}) {
      const std::uint64_t waits = is_first ? 3 * ms : ms;
      judge.begins(is_first ? 1 : 2, now);
      if (is_first) judge.went_plainly(waits, 0);
      judge.divides(is_first ? &first : &second);
      if (!is_first) judge.went_plainly(waits, 0);
      now += waits + 4 * ms;
    }
  }
  EXPECT_GE(first, 3 * ms);
  EXPECT_LE(first, 5 * ms);
  EXPECT_GE(second, ms);
  EXPECT_LE(second, 5 * ms);
}

TEST(LoopJudge, NothingIsDividedOutsideOfLoops) {
  LoopJudge judge;
  for (std::uint64_t i = 0, now = 0; i < 2000; ++i, now += ms) {
    judge.begins(i * 77, now);
    EXPECT_FALSE(judge.divides());
  }
}

// A program changes its behaviour in mid-run. Any second of it takes at most 1/0.95 of its plain time,
// and from the tenth iteration after the change on it takes at most 1/0.98.
void expect_no_harm_by_change(Program before, Program after, std::uint64_t first_key) {
  LoopJudge judge;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> times;  // with the judge, plain
  std::uint64_t now = ms;
  auto run = [&](Program program, std::uint64_t key, int iterations) {
    for (int i = 0; i < iterations; ++i) {
      program.now = now;
      program.used = program.needed = 0;
      program.first_key = key;
      program.iterate(judge, 1);
      now = program.now;
      times.emplace_back(program.used, program.needed);
    }
  };
  run(before, 1, 150);
  const std::size_t changed = times.size();
  run(after, first_key, 600);
  auto speed = [&](std::size_t from, std::size_t to) {
    double used = 0, needed = 0;
    for (std::size_t i = from; i < to; ++i) {
      used += static_cast<double>(times[i].first);
      needed += static_cast<double>(times[i].second);
    }
    return needed / used;
  };
  for (std::size_t from = 0, to = 0; from < times.size(); ++from) {
    std::uint64_t window = 0;
    for (to = from; to < times.size() && window < 1000 * ms; ++to) window += times[to].first;
    if (window < 1000 * ms) break;
    EXPECT_GE(speed(from, to), 0.95) << "iterations " << from << " to " << to << ", changed at " << changed;
  }
  EXPECT_GE(speed(changed + 10, times.size()), 0.98);
}

TEST(LoopJudge, LessComputationInMidRunDoesNoHarm) {
  expect_no_harm_by_change({2, 2 * ms, 3 * ms, ms / 10}, {2, 2 * ms, 1000, ms}, 1);
}

TEST(LoopJudge, DearerMovingInMidRunDoesNoHarm) {
  expect_no_harm_by_change({2, 2 * ms, 3 * ms, ms / 10}, {2, 2 * ms, 3 * ms, 4 * ms}, 1);
}

TEST(LoopJudge, OtherPartnersInMidRunDoNoHarm) {
  expect_no_harm_by_change({2, 2 * ms, 3 * ms, ms / 10}, {3, 2 * ms, 1000, ms}, 100);
}

TEST(LoopJudge, WaitingThatBeginsInMidRunIsHidden) {
  LoopJudge judge;
  Program idle{2, 1000, 3 * ms, 0}, busy{2, 2 * ms, 3 * ms, ms / 10};
  idle.iterate(judge, 100);
  busy.now = idle.now;
  busy.iterate(judge, 40);
  EXPECT_TRUE(judge.overlaps());
  EXPECT_GT(busy.split, 40);
}

}  // namespace
