// SPDX-License-Identifier: Apache-2.0
#include "sets/check/stuck.hpp"

namespace lapwing::sets {
namespace {

// A clause dies if each of its acts is left to members of the set, undone.
std::vector<bool> dead_clauses(const Stuck& one, const std::set<int>& set, bool confirmed) {
  std::vector<bool> dead(static_cast<std::size_t>(one.clauses), true);
  for (const Edge& edge : one.edges) {
    if ((confirmed && edge.unused != 0) || set.count(edge.peer) == 0)
      dead[static_cast<std::size_t>(edge.clause)] = false;
  }
  return dead;
}

bool any(const std::vector<bool>& flags) {
  for (const bool flag : flags) {
    if (flag) return true;
  }
  return false;
}

std::set<int> reached(const std::map<int, Stuck>& known, const std::set<int>& stuck, int from) {
  std::set<int> seen{from};
  std::vector<int> left{from};
  while (!left.empty()) {
    const Stuck& one = known.at(left.back());
    left.pop_back();
    const std::vector<bool> dead = dead_clauses(one, stuck, true);
    for (const Edge& edge : one.edges) {
      if (dead[static_cast<std::size_t>(edge.clause)] && seen.insert(edge.peer).second)
        left.push_back(edge.peer);
    }
  }
  return seen;
}

}  // namespace

std::set<int> stuck_ones(const std::map<int, Stuck>& known, bool confirmed) {
  std::set<int> set;
  for (const auto& [rank, one] : known) {
    if (one.waits) set.insert(rank);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto rank = set.begin(); rank != set.end();) {
      if (any(dead_clauses(known.at(*rank), set, confirmed))) {
        ++rank;
      } else {
        rank = set.erase(rank);
        changed = true;
      }
    }
  }
  return set;
}

std::set<int> core_of(const std::map<int, Stuck>& known, const std::set<int>& stuck) {
  std::set<int> core = stuck;
  for (const int rank : stuck) {
    std::set<int> from = reached(known, stuck, rank);
    if (from.size() < core.size()) core = std::move(from);
  }
  return core;
}

}  // namespace lapwing::sets
