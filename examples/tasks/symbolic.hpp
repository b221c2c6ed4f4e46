// SPDX-License-Identifier: Apache-2.0
// What comes before the factorisation of a sparse matrix: an order of its
// columns, and the structure of the factor. All serial.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "symmetric.hpp"

namespace example {

using Order = std::vector<int>;  // what comes at each place

/// Minimum degree, by the quotient graph with bounds of degrees.
inline Order minimum_degree(const Symmetric& matrix) {
  const auto n = static_cast<std::size_t>(matrix.size());
  std::vector<std::vector<int>> variables(n), elements(n), members(n);  // members: of an element
  for (int c = 0; c < matrix.size(); ++c) {
    for (const auto& entry : matrix.at(c)) {
      if (entry.row == c) continue;
      variables[static_cast<std::size_t>(c)].push_back(entry.row);
      variables[static_cast<std::size_t>(entry.row)].push_back(c);
    }
  }
  std::vector<std::size_t> degree(n);
  std::set<std::pair<std::size_t, int>> queue;
  for (std::size_t i = 0; i < n; ++i) queue.insert({degree[i] = variables[i].size(), static_cast<int>(i)});
  std::vector<char> gone(n, 0), absorbed(n, 0);
  std::vector<int> mark(n, -1), seen(n, -1);
  std::vector<std::size_t> outside(n);  // members of an element that the pivot's does not have
  Order order;
  while (!queue.empty()) {
    const int pivot = queue.begin()->second;
    const auto p = static_cast<std::size_t>(pivot);
    queue.erase(queue.begin());
    order.push_back(pivot);
    gone[p] = 1;
    std::vector<int> front;
    const auto take = [&](const std::vector<int>& from) {
      for (const int i : from) {
        const auto v = static_cast<std::size_t>(i);
        if (gone[v] || mark[v] == pivot) continue;
        mark[v] = pivot;
        front.push_back(i);
      }
    };
    take(variables[p]);
    for (const int e : elements[p]) {
      take(members[static_cast<std::size_t>(e)]);
      absorbed[static_cast<std::size_t>(e)] = 1;
      members[static_cast<std::size_t>(e)].clear();
    }
    for (const int i : front) {
      for (const int e : elements[static_cast<std::size_t>(i)]) {
        const auto at = static_cast<std::size_t>(e);
        if (absorbed[at]) continue;
        if (seen[at] != pivot) {
          std::erase_if(members[at], [&](int m) { return gone[static_cast<std::size_t>(m)] != 0; });
          outside[at] = members[at].size();
          seen[at] = pivot;
        }
        --outside[at];
      }
    }
    for (const int i : front) {
      const auto v = static_cast<std::size_t>(i);
      std::erase_if(variables[v], [&](int other) {
        const auto o = static_cast<std::size_t>(other);
        return gone[o] || mark[o] == pivot;
      });
      std::erase_if(elements[v], [&](int e) {
        const auto at = static_cast<std::size_t>(e);
        return absorbed[at] || outside[at] == 0;
      });
      std::size_t bound = variables[v].size() + front.size() - 1;
      for (const int e : elements[v]) bound += outside[static_cast<std::size_t>(e)];
      elements[v].push_back(pivot);
      queue.erase({degree[v], i});
      degree[v] = std::min({bound, degree[v] + front.size() - 1, queue.size()});
      queue.insert({degree[v], i});
    }
    members[p] = std::move(front);
    variables[p].clear();
  }
  return order;
}

inline Symmetric permuted(const Symmetric& matrix, const Order& order) {
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  Symmetric result;
  result.column.resize(order.size());
  for (int c = 0; c < matrix.size(); ++c) {
    for (const auto& entry : matrix.at(c)) {
      result.add(place[static_cast<std::size_t>(entry.row)], place[static_cast<std::size_t>(c)], entry.value);
    }
  }
  result.sort();
  return result;
}

/// The elimination tree: each column's parent, or -1.
inline std::vector<int> elimination_tree(const Symmetric& matrix) {
  const auto n = static_cast<std::size_t>(matrix.size());
  std::vector<std::vector<int>> left(n);  // columns before it in each row
  for (int c = 0; c < matrix.size(); ++c)
    for (const auto& entry : matrix.at(c))
      if (entry.row > c) left[static_cast<std::size_t>(entry.row)].push_back(c);
  std::vector<int> parent(n, -1), top(n, -1);
  for (std::size_t row = 0; row < n; ++row) {
    for (int c : left[row]) {
      while (c != -1 && c != static_cast<int>(row)) {
        const auto at = static_cast<std::size_t>(c);
        const int next = top[at];
        top[at] = static_cast<int>(row);
        if (next == -1) parent[at] = static_cast<int>(row);
        c = next;
      }
    }
  }
  return parent;
}

/// Children before parents, each subtree together.
inline Order postorder(const std::vector<int>& parent) {
  std::vector<std::vector<int>> children(parent.size());
  std::vector<int> todo;
  Order order;
  for (std::size_t i = parent.size(); i-- > 0;) {
    if (parent[i] < 0) {
      todo.push_back(static_cast<int>(i));
    } else {
      children[static_cast<std::size_t>(parent[i])].push_back(static_cast<int>(i));
    }
  }
  while (!todo.empty()) {
    const int i = todo.back();
    todo.pop_back();
    order.push_back(i);
    for (const int child : children[static_cast<std::size_t>(i)]) todo.push_back(child);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

/// The rows below the diagonal of each column of the factor.
inline std::vector<std::vector<int>> factor_rows(const Symmetric& matrix, const std::vector<int>& parent) {
  std::vector<std::vector<int>> rows(parent.size());
  for (std::size_t c = 0; c < parent.size(); ++c) {
    for (const auto& entry : matrix.column[c])
      if (entry.row > static_cast<int>(c)) rows[c].push_back(entry.row);
    std::sort(rows[c].begin(), rows[c].end());
    rows[c].erase(std::unique(rows[c].begin(), rows[c].end()), rows[c].end());
  }
  for (std::size_t c = 0; c < parent.size(); ++c) {
    if (parent[c] < 0) continue;
    auto& up = rows[static_cast<std::size_t>(parent[c])];
    std::vector<int> merged;
    std::set_union(up.begin(), up.end(), rows[c].begin() + 1, rows[c].end(), std::back_inserter(merged));
    up = std::move(merged);
  }
  return rows;
}

}  // namespace example
