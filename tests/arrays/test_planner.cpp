// SPDX-License-Identifier: Apache-2.0
// Which tasks exchange arrays in a collective.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "arrays/collectives/planner.hpp"

namespace lapwing::arrays {
namespace {

// Section 4.1: V0 and V2 are distributed alike, V1 differently; between the two
// distributions it is expensive. The sum is to come to task 1.
TEST(Planner, ThePapersThreeVectors) {
  const Costs costs = {{0, 100, 1}, {100, 0, 100}, {1, 100, 0}};
  EXPECT_EQ((std::vector<Step>{{2, 0}, {0, 1}}), plan_reduction(costs, 1));
  EXPECT_EQ(101, total(costs, plan_reduction(costs, 1)));
  EXPECT_EQ((std::vector<Step>{{1, 0}, {0, 2}}), plan_broadcast(costs, 1));
  EXPECT_EQ(202, total(costs, plan_allreduce(costs)));
}

// A plan must reach all tasks, and no plan can be cheaper than the bound.
void check(const Costs& costs, int root, const std::vector<Step>& steps) {
  const auto n = static_cast<int>(costs.size());
  ASSERT_EQ(n - 1, static_cast<int>(steps.size()));
  std::vector<bool> sent(costs.size());
  for (const Step& step : steps) {
    EXPECT_FALSE(sent[static_cast<std::size_t>(step.from)]) << "a task sends twice";
    EXPECT_FALSE(sent[static_cast<std::size_t>(step.to)]) << "what comes after a task has sent is lost";
    sent[static_cast<std::size_t>(step.from)] = true;
  }
  EXPECT_FALSE(sent[static_cast<std::size_t>(root)]);
}

// The least total over all trees, by trying all orders in which tasks join.
std::int64_t least(const Costs& costs, int root) {
  std::vector<int> others;
  for (int t = 0; t < static_cast<int>(costs.size()); ++t)
    if (t != root) others.push_back(t);
  std::int64_t best = INT64_MAX;
  do {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < others.size(); ++i) {
      const auto& row = costs[static_cast<std::size_t>(others[i])];
      std::int64_t here = row[static_cast<std::size_t>(root)];
      for (std::size_t j = 0; j < i; ++j) here = std::min(here, row[static_cast<std::size_t>(others[j])]);
      sum += here;
    }
    best = std::min(best, sum);
  } while (std::next_permutation(others.begin(), others.end()));
  return best;
}

TEST(Planner, FewTasksAreExact) {
  std::mt19937 random(7);
  for (int n = 1; n <= exact_tasks - 1; ++n) {
    for (int turn = 0; turn < 40; ++turn) {
      Costs costs(static_cast<std::size_t>(n), std::vector<std::int64_t>(static_cast<std::size_t>(n)));
      for (auto& row : costs)
        for (auto& cost : row) cost = static_cast<std::int64_t>(random() % 100) + 1;
      const int root = static_cast<int>(random() % static_cast<unsigned>(n));
      const auto steps = plan_reduction(costs, root);
      check(costs, root, steps);
      EXPECT_EQ(least(costs, root), total(costs, steps));
    }
  }
}

// Equal totals: then arrays flow side by side, not through a chain.
TEST(Planner, AmongEqualsTheShortestWins) {
  const Costs costs(4, std::vector<std::int64_t>(4, 10));
  const auto steps = plan_reduction(costs, 0);
  EXPECT_EQ(30, total(costs, steps));
  // Two rounds: 1 -> 0 beside 3 -> 2, then 2 -> 0.
  int into_root = 0;
  for (const Step& step : steps) into_root += step.to == 0;
  EXPECT_EQ(2, into_root);
}

TEST(Planner, ManyTasksOfTwoKindsPayOnce) {
  constexpr int n = 40;
  Costs costs(n, std::vector<std::int64_t>(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) costs[i][j] = i % 2 == j % 2 ? 1 : 1000;
  const auto steps = plan_reduction(costs, 5);
  check(costs, 5, steps);
  EXPECT_EQ(1000 + (n - 2), total(costs, steps));
}

}  // namespace
}  // namespace lapwing::arrays
