// SPDX-License-Identifier: Apache-2.0
// Which tasks send each other arrays in a collective, and in which order
// (section 4.1): as a tree that pays the fewest expensive redistributions. No MPI
// here; the same costs give the same tree on every process.
#pragma once

#include <cstdint>
#include <vector>

namespace lapwing::arrays {

/// costs[i][j]: nanoseconds that task i's array takes to task j, in j's distribution.
using Costs = std::vector<std::vector<std::int64_t>>;

struct Step {
  int from, to;
  bool operator==(const Step&) const = default;
};

/// Up to this many tasks every tree is looked at; beyond, a good one is improved
/// step by step, for a bounded time.
inline constexpr int exact_tasks = 7;

/// All arrays are combined at the root: each task but the root sends once, after all that it receives.
std::vector<Step> plan_reduction(const Costs& costs, int root);
/// The root's array to all.
std::vector<Step> plan_broadcast(const Costs& costs, int root);
/// To the task and back from it for which both together are cheapest.
std::vector<Step> plan_allreduce(const Costs& costs);

std::int64_t total(const Costs& costs, const std::vector<Step>& steps);

}  // namespace lapwing::arrays
