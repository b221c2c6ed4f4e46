// SPDX-License-Identifier: Apache-2.0
// Which rounds of a loop and of the loops inside may run before what is in flight has come, against what each
// of them really touches.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "interior_accesses.hpp"

namespace lapwing::transfer {
namespace {

bool is(const Rounds& side, std::int64_t begin, std::int64_t end) {
  return side.begin == begin && side.end == end;
}

// A grid of 10 by 12 numbers of 8 bytes, of which a sweep writes all but the outermost ones into another
// grid.
AffineAccess numbers(std::int64_t row_of, std::int64_t column_of, bool writes) {
  AffineAccess access = row((writes ? 10'000 : 0) + 96 * row_of + 8 * column_of, 8, writes, 96);
  access.steps[0] = {8, 9};
  return access;
}

AffineAccess column(std::int64_t number) {
  AffineAccess access = row(8 * number, 8, true, 0);
  access.steps[0] = {96, 9};
  return access;
}

TEST(InteriorBoxes, AColumnThatIsInFlightLeavesABoxOfAllRows) {
  const std::vector<AffineAccess> sweep{numbers(0, 1, false), numbers(2, 1, false), numbers(1, 0, false),
                                        numbers(1, 2, false), numbers(1, 1, true)};
  const AffineAccess top = row(0, 96, true, 0), bottom = row(9 * 96, 96, true, 0);
  const Box left = box_found({8, 10}, sweep, {column(0)});
  EXPECT_TRUE(is(left[0], 0, 8) && is(left[1], 1, 10) && is(left[2], 0, 1));
  const Box both = box_found({8, 10}, sweep, {column(0), column(11)});
  EXPECT_TRUE(is(both[0], 0, 8) && is(both[1], 1, 9));
  const Box around = box_found({8, 10}, sweep, {column(0), top, bottom, column(11)});
  EXPECT_TRUE(is(around[0], 1, 7) && is(around[1], 1, 9));
  EXPECT_TRUE(box_found({8}, sweep, {column(0)})[0].empty());
}

TEST(InteriorBoxes, RoundsOfALoopInsideThatDependOnEachOtherStayTogether) {
  // Each number needs the one before it in its row.
  const std::vector<AffineAccess> sweep{numbers(1, 1, true), row(10'000 + 96, 8, false, 96)};
  std::vector<AffineAccess> rows = sweep;
  rows[1].steps[0] = {8, 9};
  EXPECT_TRUE(box_found({8, 10}, rows, {column(0)})[0].end == 8);  // nothing is in flight there
  AffineAccess needed = column(0);
  needed.first += 10'000;
  EXPECT_TRUE(box_found({8, 10}, rows, {needed})[0].empty());
  AffineAccess last = row(10'000 + 8 * 96, 96, true, 0);
  const Box box = box_found({8, 10}, rows, {last});
  EXPECT_TRUE(is(box[0], 0, 7) && is(box[1], 0, 10));
}

// Where an access lies in one round of each loop, the loops that are not divided included.
std::set<std::uintptr_t> bytes_at(const AffineAccess& a, const std::array<std::int64_t, 3>& at,
                                  std::size_t divided) {
  AffineAccess moved = a;
  moved.first += static_cast<std::uintptr_t>(a.by * at[0]);
  for (std::size_t loop = 1; loop < divided; ++loop) {
    moved.first += static_cast<std::uintptr_t>(a.steps[loop - 1].by * at[loop]);
    moved.steps[loop - 1] = {};
  }
  std::set<std::uintptr_t> bytes;
  for (std::uint64_t i = 0; i <= moved.steps[2].back_edges; ++i) {
    AffineAccess one = moved;
    one.first += static_cast<std::uintptr_t>(moved.steps[2].by * static_cast<std::int64_t>(i));
    bytes.merge(bytes_of(one, 0));
  }
  return bytes;
}

std::vector<std::array<std::int64_t, 3>> rounds_of(const Box& box) {
  std::vector<std::array<std::int64_t, 3>> all;
  for (std::int64_t i = box[0].begin; i < box[0].end; ++i)
    for (std::int64_t j = box[1].begin; j < box[1].end; ++j)
      for (std::int64_t k = box[2].begin; k < box[2].end; ++k) all.push_back({i, j, k});
  return all;
}

// All but the box, in the order in which compiled code runs it (compiler/interior/divide_loop.hpp).
std::vector<Box> left_of(const Box& early, const Box& all) {
  const auto side = [&](std::size_t cut, const Rounds& rounds) {
    Box box = all;
    for (std::size_t loop = 0; loop < cut; ++loop) box[loop] = early[loop];
    box[cut] = rounds;
    return box;
  };
  std::vector<Box> boxes;
  for (const std::size_t cut : {0U, 1U, 2U}) boxes.push_back(side(cut, {0, early[cut].begin}));
  for (const std::size_t cut : {2U, 1U, 0U}) boxes.push_back(side(cut, {early[cut].end, all[cut].end}));
  return boxes;
}

TEST(InteriorBoxes, RandomNestsAreDividedRightly) {
  std::mt19937 random(11);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int divided = 0, inside = 0;
  for (int n = 0; n < 6000; ++n) {
    std::vector<std::uint64_t> rounds{static_cast<std::uint64_t>(draw(1, 5))};
    for (int more = draw(1, 2); more > 0; --more) rounds.push_back(static_cast<std::uint64_t>(draw(1, 5)));
    // Mostly the steps of one array, in some order of its dimensions.
    std::array<int, 3> steps{draw(1, 4), draw(1, 5) * 5, draw(1, 4) * 30};
    std::shuffle(steps.begin(), steps.end(), random);
    const auto any_step = [&](std::size_t loop) {
      if (draw(0, 15) == 0) return draw(-20, 20);
      return draw(0, 15) == 0 ? -steps[loop] : steps[loop];
    };
    std::vector<AffineAccess> accesses, kept;
    for (int i = draw(1, 3); i > 0; --i) {
      const bool writes = i == 1 || draw(0, 3) == 0;
      AffineAccess a = row(draw(0, 40) + (writes && draw(0, 3) != 0 ? 1000 : 0),
                           static_cast<std::uint64_t>(draw(1, 4)), writes, any_step(0));
      for (std::size_t loop = 1; loop < rounds.size(); ++loop)
        a.steps[loop - 1] = {any_step(loop), rounds[loop] - 1};
      if (draw(0, 3) == 0) a.steps[2 - (rounds.size() == 2 ? draw(0, 1) : 0)] = {draw(-3, 3), 2};
      if (rounds.size() == 3 && a.steps[2].back_edges == 2)
        a.steps[2].back_edges = static_cast<std::uint64_t>(draw(0, 2));
      accesses.push_back(a);
    }
    for (int i = draw(1, 3); i > 0; --i) {
      AffineAccess k = row(draw(0, 200), static_cast<std::uint64_t>(draw(0, 12)), draw(0, 3) != 0, 0);
      if (draw(0, 1))
        k.steps[0] = {any_step(static_cast<std::size_t>(draw(0, 2))), static_cast<std::uint64_t>(draw(0, 5))};
      if (draw(0, 2) == 0) k.steps[1] = {any_step(0), static_cast<std::uint64_t>(draw(0, 4))};
      kept.push_back(k);
    }
    const Box box = box_found(rounds, accesses, kept);
    if (box[0].empty()) continue;
    Box all{};
    for (std::size_t loop = 0; loop < 3; ++loop) {
      all[loop] = {0, loop < rounds.size() ? static_cast<std::int64_t>(rounds[loop]) : 1};
      ASSERT_LE(all[loop].begin, box[loop].begin);
      ASSERT_LT(box[loop].begin, box[loop].end);
      ASSERT_LE(box[loop].end, all[loop].end);
    }
    ++divided;
    inside += box[1].end - box[1].begin < all[1].end || box[2].end - box[2].begin < all[2].end;
    const auto early = rounds_of(box), whole = rounds_of(all);
    for (const AffineAccess& a : accesses) {
      for (const auto& at : early)
        for (const AffineAccess& k : kept)
          ASSERT_FALSE((a.writes || k.writes) && meet(bytes_at(a, at, rounds.size()), bytes_at(k, {}, 1)))
              << n;
    }
    // The order changes between rounds early and rounds left, and among those that are left.
    std::vector<std::array<std::int64_t, 3>> order = early;
    for (const Box& left : left_of(box, all))
      for (const auto& at : rounds_of(left)) order.push_back(at);
    ASSERT_EQ(order.size(), whole.size());
    for (std::size_t x = 0; x < order.size(); ++x) {
      for (std::size_t y = x + 1; y < order.size(); ++y) {
        ASSERT_NE(order[x], order[y]);
        if (order[x] < order[y]) continue;
        for (const AffineAccess& a : accesses)
          for (const AffineAccess& b : accesses)
            ASSERT_FALSE((a.writes || b.writes) &&
                         meet(bytes_at(a, order[x], rounds.size()), bytes_at(b, order[y], rounds.size())))
                << n;
      }
    }
  }
  EXPECT_GT(divided, 500);
  EXPECT_GT(inside, 50);
}

}  // namespace
}  // namespace lapwing::transfer
