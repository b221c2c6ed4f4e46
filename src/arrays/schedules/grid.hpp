// SPDX-License-Identifier: Apache-2.0
// A grid of processes: positions, their coordinates, and the task's ranks there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lapwing::arrays {

/// A grid over ranks of one task. With no extents it has one position.
struct ProcessGrid {
  std::vector<int> extents;   ///< one per grid dimension, each at least 1
  bool column_major = false;  ///< how positions are numbered: else the last dimension varies fastest
  std::vector<int> ranks;     ///< the task rank at each position; any subset, any order, none twice

  [[nodiscard]] int positions() const { return static_cast<int>(ranks.size()); }
  [[nodiscard]] std::vector<int> coordinates(int position) const;
  [[nodiscard]] int position(const std::vector<int>& coordinates) const;
  /// The position of a task rank; -1 where it has none.
  [[nodiscard]] int position_of(int rank) const;

  bool operator==(const ProcessGrid&) const = default;
};

/// A grid over the ranks 0, 1, ... in their order.
ProcessGrid make_grid(std::vector<int> extents, bool column_major = false);

/// Why the grid cannot be one over a task of that many ranks; empty where it
/// can. A negative size: the task is not known.
std::string validate(const ProcessGrid& grid, int task_size);

}  // namespace lapwing::arrays
