// SPDX-License-Identifier: Apache-2.0
// Which rounds of a loop may run before what is in flight has come, against what each round really touches.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "interior_accesses.hpp"
#include "transfer/compiled/look_pace.hpp"
#include "transfer/compiled/remembered_divisions.hpp"
#include "transfer/compiled/rounds_left.hpp"

namespace lapwing::transfer {
namespace {

Rounds found(std::uint64_t rounds, const std::vector<AffineAccess>& accesses,
             const std::vector<AffineAccess>& kept) {
  return box_found({rounds}, accesses, kept)[0];
}

// Rows of 100 bytes, a grid of 10 of them at 0 and another one at 10000; the sweep writes rows 1 to 8.
const AffineAccess above = row(0, 100, false, 100), below = row(200, 100, false, 100),
                   written = row(10'100, 100, true, 100);
const AffineAccess first_row = row(0, 100, true, 0), last_row = row(900, 100, true, 0);

TEST(InteriorRange, ASweepNeedsItsNeighboursInTheFirstAndTheLastRound) {
  const Rounds rounds = found(8, {above, below, written}, {first_row, last_row});
  EXPECT_EQ(rounds.begin, 1);
  EXPECT_EQ(rounds.end, 7);
}

TEST(InteriorRange, WhatIsSentMayBeRead) {
  const Rounds rounds = found(8, {above, below, written}, {row(100, 100, false, 0), row(800, 100, false, 0)});
  EXPECT_EQ(rounds.begin, 0);
  EXPECT_EQ(rounds.end, 8);
}

TEST(InteriorRange, RoundsThatReadWhatOthersWriteStayInOrder) {
  EXPECT_TRUE(found(8, {row(0, 100, false, 100), row(100, 100, true, 100)}, {first_row}).empty());
  EXPECT_TRUE(found(8, {above, row(50, 8, true, 0)}, {first_row}).empty());          // all write one place
  EXPECT_TRUE(found(8, {above, row(10'000, 101, true, 100)}, {first_row}).empty());  // they overlap
}

// Of 10 numbers in each row, 8 bytes each, every `pitch` bytes.
AffineAccess alone(std::int64_t first, std::int64_t pitch, bool writes) {
  AffineAccess access = row(first, 8, writes, 100);
  access.steps[0] = {pitch, 9};
  access.alone = true;
  return access;
}

TEST(InteriorRange, WhatIsReadAgainBehindTheLoopMayBeWrittenOnceOnly) {
  const auto any = [](const AffineAccess& stored, const AffineAccess& other) {
    return !found(8, {above, below, stored, other}, {first_row, last_row}).empty();
  };
  const AffineAccess apart = row(20'000, 8, false, 100);
  EXPECT_TRUE(any(alone(10'100, 8, true), apart));
  EXPECT_TRUE(any(alone(10'100, -8, true), apart));
  EXPECT_FALSE(any(alone(10'100, 4, true), apart));
  EXPECT_FALSE(any(alone(10'100, 0, true), apart));
  AffineAccess nested = alone(10'100, 8, true);
  nested.steps = {{{40, 1}, {8, 3}, {0, 0}}};
  EXPECT_TRUE(any(nested, apart));
  nested.steps[0].by = 24;
  EXPECT_FALSE(any(nested, apart));
  EXPECT_FALSE(any(alone(10'100, 8, true), row(10'140, 8, true, 100)));
  EXPECT_TRUE(any(alone(10'100, 8, true), row(10'140, 8, false, 100)));
  EXPECT_FALSE(any(alone(10'100, 8, false), row(10'140, 8, true, 100)));
  EXPECT_TRUE(any(alone(10'100, 8, false), row(20'000, 8, true, 100)));
}

TEST(InteriorRange, NumbersThatWrapEndIt) {
  const auto rounds_where = [](std::int64_t first, std::int64_t bits) {
    InteriorRange range;
    range.begin(7);
    for (const AffineAccess& a : {above, below, written}) range.access(a);
    range.keep(first_row);
    range.fit({static_cast<std::uintptr_t>(first), 0, false, 100, {}}, bits);
    return !range.find()[0].empty();
  };
  constexpr std::int64_t top = 0x7fffffff;
  EXPECT_TRUE(rounds_where(top - 700, 32));
  EXPECT_FALSE(rounds_where(top - 699, 32));
  EXPECT_TRUE(rounds_where(-1 - top, 32));
  EXPECT_FALSE(rounds_where(-2 - top, 32));
  EXPECT_TRUE(rounds_where(2 * top + 1 - 700, -32));
  EXPECT_FALSE(rounds_where(2 * top + 2 - 700, -32));
  EXPECT_FALSE(rounds_where(-1, -32));
  EXPECT_TRUE(rounds_where(-1, 0));  // not asked
}

TEST(InteriorRange, LoopsInsideCount) {
  AffineAccess column = row(10'100, 8, true, 8);
  column.steps[0] = {100, 7};
  EXPECT_EQ(found(10, {column}, {}).end, 10);  // columns lie within each other and never meet
  column.steps[0] = {40, 7};
  EXPECT_TRUE(found(10, {column}, {}).empty());
  AffineAccess line = row(10'100, 4, true, 100);
  line.steps[0] = {-4, 24};
  line.first += 96;
  EXPECT_EQ(found(8, {line, above}, {first_row}).begin, 1);
}

TEST(InteriorRange, NumbersThatMeanNothingDivideNothing) {
  EXPECT_TRUE(found(0, {above}, {first_row}).empty());
  EXPECT_TRUE(found(std::uint64_t{1} << 60, {above}, {first_row}).empty());
  AffineAccess far = above;
  far.steps[0] = {8, ~std::uint64_t{0}};
  EXPECT_TRUE(found(8, {far}, {first_row}).empty());
  far.steps[0] = {std::int64_t{1} << 40, 1 << 20};
  EXPECT_TRUE(found(8, {far}, {first_row}).empty());
  EXPECT_TRUE(found(8, {row(0, ~std::uint64_t{0}, false, 8)}, {first_row}).empty());
  const std::vector<AffineAccess> many(100, above);
  EXPECT_TRUE(found(8, many, {first_row}).empty());
}

TEST(InteriorRange, RandomLoopsAreDividedRightly) {
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int divided = 0;
  for (int n = 0; n < 4000; ++n) {
    const std::int64_t rounds = draw(1, 7);
    std::vector<AffineAccess> accesses, kept;
    const int by = draw(-24, 24);
    for (int i = draw(1, 4); i > 0; --i) {
      AffineAccess a = row(draw(0, 400), static_cast<std::uint64_t>(draw(1, 8)), draw(0, 2) == 0,
                           draw(0, 3) == 0 ? draw(-24, 24) : by);
      if (draw(0, 1)) a.steps[0] = {draw(-6, 6), static_cast<std::uint64_t>(draw(0, 3))};
      if (draw(0, 2) == 0) a.steps[1] = {draw(-3, 3), static_cast<std::uint64_t>(draw(0, 2))};
      accesses.push_back(a);
    }
    for (int i = draw(1, 2); i > 0; --i)
      kept.push_back(row(draw(0, 400), static_cast<std::uint64_t>(draw(0, 30)), draw(0, 2) != 0, 0));
    const Rounds inside = found(static_cast<std::uint64_t>(rounds), accesses, kept);
    if (inside.empty()) continue;
    ++divided;
    ASSERT_GE(inside.begin, 0);
    ASSERT_LE(inside.end, rounds);
    for (const AffineAccess& a : accesses) {
      for (std::int64_t r = inside.begin; r < inside.end; ++r)
        for (const AffineAccess& k : kept)
          ASSERT_FALSE((a.writes || k.writes) && meet(bytes_of(a, r), bytes_of(k, 0))) << n;
      for (const AffineAccess& b : accesses)
        for (std::int64_t r = 0; (a.writes || b.writes) && r < rounds; ++r)
          for (std::int64_t s = 0; s < rounds; ++s)
            ASSERT_FALSE(r != s && meet(bytes_of(a, r), bytes_of(b, s))) << n;
    }
  }
  EXPECT_GT(divided, 500);
}

TEST(InteriorRange, RangesHoldAllThatRoundsMayComeUpon) {
  InteriorRange range;
  range.begin(9);
  AffineAccess swept = row(500, 100, true, 100), far = row(90'000, 100, true, 0),
               near = row(3000, 100, true, 0), nearer = row(3300, 100, true, 0);
  for (AffineAccess* a : {&swept, &far, &near, &nearer}) a->met = true;
  range.access(swept);
  range.access(row(40'000, 8, true, 8));  // an address that is known: no round comes upon it otherwise
  for (const AffineAccess& a : {nearer, far, near}) range.keep(a);
  const auto avoided = range.avoided();
  const auto is = [](const Addresses& a, std::int64_t begin, std::int64_t end) {
    return a.begin == std::int64_t{base} + begin && a.end == std::int64_t{base} + end;
  };
  EXPECT_TRUE(is(avoided[0], 3000, 3400));
  EXPECT_TRUE(is(avoided[1], 90'000, 90'100));
  EXPECT_TRUE(is(avoided[2], 500, 1500));
}

TEST(InteriorRange, RoundsThatMayComeUponWhatOthersWriteBeginWithTheFirst) {
  AffineAccess swept = written;
  swept.met = true;
  EXPECT_TRUE(found(8, {above, below, swept}, {first_row, last_row}).empty());
  EXPECT_EQ(found(8, {above, below, swept}, {last_row}).end, 7);
}

TEST(InteriorRange, EachRoundThatIsLeftRunsOnceAndInOrder) {
  std::mt19937 random(7);
  for (int turn = 0; turn < 300; ++turn) {
    const auto number = [&](long long most) {
      return std::uniform_int_distribution<long long>(0, most)(random);
    };
    const long long rounds = 1 + number(turn < 150 ? 12 : 2000), begin = number(rounds),
                    end = begin + number(rounds - begin);
    RoundsLeft left{begin, end, rounds, 0, nullptr, 0, 0, 0, 0};
    std::vector<long long> expected, seen, early_ones, before;
    for (long long n = 0; n < rounds; ++n) {
      const bool early = n >= begin && n < end, aside = early && number(2) == 0;
      if (aside) put_aside(left, n);
      (!early || aside ? expected : early_ones).push_back(n);
    }
    for (Rounds run = next_early_run(left); !run.empty(); run = next_early_run(left))
      for (long long n = run.begin; n < run.end; ++n) before.push_back(n);
    for (Rounds run = next_run(left); !run.empty(); run = next_run(left))
      for (long long n = run.begin; n < run.end; ++n) seen.push_back(n);
    EXPECT_EQ(before, early_ones);
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(left.aside, nullptr);
  }
}

class Remembered : public testing::Test {
 protected:
  using Numbers = std::vector<long long>;

  static void open(RoundsLeft& left) { left = {2, 9, 12, 0, nullptr, 0, 0, 0, left.remembered}; }
  bool recall(RoundsLeft& left, const Numbers& numbers) {
    open(left);
    return all.recall(left, numbers.data(), numbers.size());
  }
  static std::vector<long long> rest(RoundsLeft& left) {
    std::vector<long long> rounds;
    for (Rounds run = next_run(left); !run.empty(); run = next_run(left))
      for (long long n = run.begin; n < run.end; ++n) rounds.push_back(n);
    return rounds;
  }
  // Rounds 4 and 5 are put aside, and 8 is the end.
  void look(RoundsLeft& left, const Numbers& numbers) {
    open(left);
    put_aside(left, 4);
    put_aside(left, 5);
    stop(left, 8);
    const Addresses lists[] = {{1000, 1400}, {5000, 5004}, {INT64_MAX, 0}};
    all.remember(left, numbers.data(), numbers.size(), lists, 3);
    EXPECT_EQ(rest(left), found);
  }

  const std::vector<long long> found{0, 1, 4, 5, 8, 9, 10, 11};
  RememberedDivisions all;
};

TEST_F(Remembered, HoldsWhileTheNumbersAreTheSame) {
  RoundsLeft left{};
  EXPECT_FALSE(recall(left, {1, 2}));
  rest(left);
  look(left, {1, 2});
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_TRUE(recall(left, {1, 2}));
    EXPECT_EQ(next_early_run(left).end, 4);
    EXPECT_EQ(next_early_run(left).begin, 6);
    EXPECT_TRUE(next_early_run(left).empty());
    EXPECT_EQ(rest(left), found);
  }
  EXPECT_FALSE(recall(left, {1, 3}));
  EXPECT_FALSE(recall(left, {1, 2}));
}

TEST_F(Remembered, IsForgottenWhereAListIsWritten) {
  RoundsLeft left{};
  look(left, {7});
  all.written(left, 996, 4);
  all.written(left, 1400, 3600);
  all.written(left, 5004, 1 << 20);
  all.written(left, 1200, 0);
  ASSERT_TRUE(recall(left, {7}));
  rest(left);
  all.written(left, 1399, 1);
  EXPECT_FALSE(recall(left, {7}));
  look(left, {7});
  all.written(left, 4000, ~std::uint64_t{0});
  EXPECT_FALSE(recall(left, {7}));
  look(left, {7});
  left.remembered = 0;  // as compiled code does
  EXPECT_FALSE(recall(left, {7}));
}

TEST_F(Remembered, OfManyLoopsThoseThatWereUsedLast) {
  std::vector<RoundsLeft> loops(RememberedDivisions::most + 1);
  for (RoundsLeft& left : loops) {
    look(left, {7});
    if (&left != loops.data()) continue;
    ASSERT_TRUE(recall(left, {7}));
    rest(left);
  }
  EXPECT_FALSE(recall(loops.front(), {7}));
  EXPECT_TRUE(recall(loops.back(), {7}));
  rest(loops.back());
  EXPECT_TRUE(recall(loops[1], {7}));
  rest(loops[1]);
}

TEST(RoundsLeft, AreThoseBehindWhereLookingEnds) {
  for (const long long enough : {0, 5, 12, 100}) {
    RoundsLeft left{2, 15, 20, 0, nullptr, 0, 0, 0, 0};
    std::vector<long long> order;
    for (long long looked = 0;;) {
      const Rounds run = next_looked_run(left, looked < enough ? 4 : 0);
      if (run.empty()) break;
      for (std::int64_t round = run.begin; round < run.end; ++round, ++looked)
        round % 3 == 0 ? put_aside(left, round) : order.push_back(round);
    }
    EXPECT_EQ(order.empty(), enough == 0);
    for (Rounds run = next_run(left); !run.empty() || run.begin < 20; run = next_run(left))
      for (std::int64_t round = run.begin; round < run.end; ++round) order.push_back(round);
    EXPECT_EQ(order.size(), 20U);
    EXPECT_EQ(std::set<long long>(order.begin(), order.end()).size(), 20U);
  }
}

TEST(RoundsLeft, ARoundThatStopsTheLookIsTheFirstOfThem) {
  RoundsLeft left{0, 15, 20, 0, nullptr, 0, 0, 0, 0};
  EXPECT_EQ(next_looked_run(left, 8).end, 8);
  stop(left, 6);
  EXPECT_EQ(next_run(left).begin, 6);
}

TEST(LookPace, RunsTakeAShortTimeAndEnd) {
  LookPace pace;
  pace.begin(5'000'000);
  std::uint64_t now = 1'000;
  long long looked = 0, runs = 0;
  for (long long rounds; (rounds = pace.next(now)) > 0; ++runs) {
    looked += rounds;
    now += static_cast<std::uint64_t>(rounds) * 500;
  }
  EXPECT_GE(now, 5'000'000U);
  EXPECT_LE(now, 5'200'000U);
  EXPECT_LT(runs, 200);
  EXPECT_EQ(looked * 500 + 1'000, static_cast<long long>(now));
  pace.begin(0);
  EXPECT_GT(pace.next(now), 0);  // what is looked at first shows what there is
  EXPECT_EQ(pace.next(now + 1), 0);
  pace.begin(LookPace::without_end);
  for (int n = 0; n < 100; ++n) EXPECT_GT(pace.next(now += 10'000'000'000), 0);
}

}  // namespace
}  // namespace lapwing::transfer
