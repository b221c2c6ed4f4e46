// SPDX-License-Identifier: Apache-2.0
#include "arrays/collectives/planner.hpp"

#include <algorithm>
#include <utility>

namespace lapwing::arrays {
namespace {

// First what all redistributions cost together, then when the last one ends.
using Price = std::pair<std::int64_t, std::int64_t>;

// A tree of arrays that flow to the root; costs[i][j] from child i to parent j.
class Tree {
 public:
  Tree(const Costs& costs, int root) : costs_(&costs), root_(root), parent_(costs.size(), root) {}

  std::size_t size() const { return parent_.size(); }
  int parent(std::size_t task) const { return parent_[task]; }
  void hang(std::size_t task, int parent) { parent_[task] = parent; }

  bool is_tree() const {
    for (std::size_t t = 0; t < size(); ++t) {
      std::size_t at = t;
      for (std::size_t steps = 0; at != static_cast<std::size_t>(root_); ++steps) {
        if (steps == size()) return false;
        at = static_cast<std::size_t>(parent_[at]);
      }
    }
    return true;
  }

  Price price() const {
    std::int64_t sum = 0;
    for (std::size_t t = 0; t < size(); ++t)
      if (t != static_cast<std::size_t>(root_)) sum += cost(t);
    return {sum, finished(root_)};
  }

  // Children before their parents, those that are ready first before others.
  void order(int task, std::vector<Step>* steps) const {
    for (const auto& [ready, child] : children(task)) {
      order(child, steps);
      steps->push_back({child, task});
    }
  }

 private:
  std::int64_t cost(std::size_t task) const {
    return (*costs_)[task][static_cast<std::size_t>(parent_[task])];
  }

  std::vector<std::pair<std::int64_t, int>> children(int task) const {
    std::vector<std::pair<std::int64_t, int>> found;
    for (std::size_t t = 0; t < size(); ++t)
      if (parent_[t] == task && t != static_cast<std::size_t>(root_))
        found.emplace_back(finished(static_cast<int>(t)), static_cast<int>(t));
    std::sort(found.begin(), found.end());
    return found;
  }

  // A task takes its children's arrays one after the other.
  std::int64_t finished(int task) const {
    std::int64_t time = 0;
    for (const auto& [ready, child] : children(task))
      time = std::max(time, ready) + cost(static_cast<std::size_t>(child));
    return time;
  }

  const Costs* costs_;
  int root_;
  std::vector<int> parent_;
};

Tree every_tree(const Costs& costs, int root) {
  Tree tree(costs, root), best = tree;
  Price least = best.price();
  const std::size_t n = tree.size();
  std::vector<std::size_t> others;
  for (std::size_t t = 0; t < n; ++t)
    if (t != static_cast<std::size_t>(root)) others.push_back(t);
  for (const std::size_t t : others) tree.hang(t, 0);
  for (;;) {
    bool sane = true;
    std::int64_t sum = 0;
    for (const std::size_t t : others) {
      sane &= static_cast<std::size_t>(tree.parent(t)) != t;
      sum += costs[t][static_cast<std::size_t>(tree.parent(t))];
    }
    if (sane && sum <= least.first && tree.is_tree()) {
      if (const Price price = tree.price(); price < least) {
        least = price;
        best = tree;
      }
    }
    std::size_t digit = 0;
    while (digit < others.size()) {
      const int next = tree.parent(others[digit]) + 1;
      tree.hang(others[digit], next < static_cast<int>(n) ? next : 0);
      if (next < static_cast<int>(n)) break;
      ++digit;
    }
    if (digit == others.size()) return best;
  }
}

// Each task is hung to the cheapest one that is in the tree already; then single
// tasks are hung elsewhere as long as that helps.
Tree good_tree(const Costs& costs, int root) {
  Tree tree(costs, root);
  const std::size_t n = tree.size();
  std::vector<bool> inside(n);
  inside[static_cast<std::size_t>(root)] = true;
  for (std::size_t added = 1; added < n; ++added) {
    std::size_t child = n, parent = n;
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t p = 0; p < n && !inside[c]; ++p)
        if (inside[p] && (child == n || costs[c][p] < costs[child][parent])) {
          child = c;
          parent = p;
        }
    tree.hang(child, static_cast<int>(parent));
    inside[child] = true;
  }
  Price least = tree.price();
  bool improved = true;
  for (int round = 0; improved && round < 10; ++round) {
    improved = false;
    for (std::size_t c = 0; c < n; ++c) {
      if (c == static_cast<std::size_t>(root)) continue;
      for (std::size_t p = 0; p < n; ++p) {
        const int before = tree.parent(c);
        if (p == c || static_cast<int>(p) == before) continue;
        // Cheap to see that it does not pay.
        if (costs[c][p] > costs[c][static_cast<std::size_t>(before)]) continue;
        tree.hang(c, static_cast<int>(p));
        const Price price = tree.is_tree() ? tree.price() : least;
        if (price < least) {
          least = price;
          improved = true;
        } else {
          tree.hang(c, before);
        }
      }
    }
  }
  return tree;
}

Tree best_tree(const Costs& costs, int root) {
  return static_cast<int>(costs.size()) <= exact_tasks ? every_tree(costs, root) : good_tree(costs, root);
}

Costs turned(const Costs& costs) {
  Costs other = costs;
  for (std::size_t i = 0; i < costs.size(); ++i)
    for (std::size_t j = 0; j < costs.size(); ++j) other[i][j] = costs[j][i];
  return other;
}

}  // namespace

std::vector<Step> plan_reduction(const Costs& costs, int root) {
  std::vector<Step> steps;
  best_tree(costs, root).order(root, &steps);
  return steps;
}

// A broadcast is a reduction that runs backwards.
std::vector<Step> plan_broadcast(const Costs& costs, int root) {
  std::vector<Step> steps = plan_reduction(turned(costs), root);
  std::reverse(steps.begin(), steps.end());
  for (Step& step : steps) std::swap(step.from, step.to);
  return steps;
}

std::vector<Step> plan_allreduce(const Costs& costs) {
  std::vector<Step> best;
  for (int root = 0; root < static_cast<int>(costs.size()); ++root) {
    std::vector<Step> steps = plan_reduction(costs, root);
    const std::vector<Step> back = plan_broadcast(costs, root);
    steps.insert(steps.end(), back.begin(), back.end());
    if (best.empty() || total(costs, steps) < total(costs, best)) best = std::move(steps);
  }
  return best;
}

std::int64_t total(const Costs& costs, const std::vector<Step>& steps) {
  std::int64_t sum = 0;
  for (const Step& step : steps)
    sum += costs[static_cast<std::size_t>(step.from)][static_cast<std::size_t>(step.to)];
  return sum;
}

}  // namespace lapwing::arrays
