// SPDX-License-Identifier: Apache-2.0
// Who waits for ever: acts of others, all of some clause's in the set.
#include <gtest/gtest.h>

#include "sets/check/stuck.hpp"
#include "sets/report/report.hpp"

namespace {

using lapwing::sets::Edge;
using lapwing::sets::Stuck;
using Known = std::map<int, Stuck>;
using Set = std::set<int>;

// A clause for each list: one of its processes must act.
Stuck waits(const std::vector<std::vector<int>>& clauses) {
  Stuck one;
  one.waits = true;
  for (const auto& clause : clauses) {
    for (const int peer : clause) one.edges.push_back({peer, Edge::message, 1, 0, 0, one.clauses, 0});
    ++one.clauses;
  }
  return one;
}
Stuck computes() { return {}; }

TEST(StuckOnes, ACycleIsStuck) {
  const Known known{{0, waits({{1}})}, {1, waits({{2}})}, {2, waits({{0}})}};
  EXPECT_EQ(stuck_ones(known, false), (Set{0, 1, 2}));
}

TEST(StuckOnes, WhoComputesFreesThoseThatWaitForIt) {
  const Known known{{0, waits({{1}})}, {1, waits({{2}})}, {2, computes()}};
  EXPECT_TRUE(stuck_ones(known, false).empty());
}

TEST(StuckOnes, NobodyKnownIsNobodyStuck) {
  const Known known{{0, waits({{1}})}};
  EXPECT_TRUE(stuck_ones(known, false).empty());
}

TEST(StuckOnes, OneOfSeveralIsEnoughToGoOn) {
  Known known{{0, waits({{1, 2}})}, {1, waits({{0}})}, {2, computes()}};
  EXPECT_TRUE(stuck_ones(known, false).empty());
  known[2] = waits({{0}});
  EXPECT_EQ(stuck_ones(known, false), (Set{0, 1, 2}));
}

TEST(StuckOnes, AllOfSeveralAreNeeded) {
  // 0 needs 1 and 2; 2 computes, but 1 never will act.
  const Known known{{0, waits({{1}, {2}})}, {1, waits({{0}})}, {2, computes()}};
  EXPECT_EQ(stuck_ones(known, false), (Set{0, 1}));
}

TEST(StuckOnes, AnActThatHasBeenDoneCounts) {
  Known known{{0, waits({{1}})}, {1, waits({{0}})}};
  known[0].edges[0].unused = 1;
  EXPECT_EQ(stuck_ones(known, false), (Set{0, 1}));
  EXPECT_TRUE(stuck_ones(known, true).empty());
}

TEST(StuckOnes, NobodyToWaitForIsStuckAlone) {
  const Known known{{3, waits({{}})}};
  EXPECT_EQ(stuck_ones(known, true), (Set{3}));
}

TEST(Core, IsWithoutThoseThatOnlyWaitForIt) {
  const Known known{{0, waits({{1}})}, {1, waits({{2}})}, {2, waits({{1}})}, {5, waits({{0}})}};
  const Set stuck = stuck_ones(known, true);
  EXPECT_EQ(stuck, (Set{0, 1, 2, 5}));
  EXPECT_EQ(core_of(known, stuck), (Set{1, 2}));
}

TEST(Ranks, AreListedShort) {
  using lapwing::sets::rank_list;
  EXPECT_EQ(rank_list({4}), "4");
  EXPECT_EQ(rank_list({0, 2, 3, 4, 5, 9}), "0, 2-5, 9");
}

}  // namespace
