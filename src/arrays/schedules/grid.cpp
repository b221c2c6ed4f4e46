// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace lapwing::arrays {

std::vector<int> ProcessGrid::coordinates(int position) const {
  const auto dimensions = extents.size();
  std::vector<int> result(dimensions);
  for (std::size_t k = 0; k < dimensions; ++k) {
    const std::size_t d = column_major ? k : dimensions - 1 - k;
    result[d] = position % extents[d];
    position /= extents[d];
  }
  return result;
}

int ProcessGrid::position(const std::vector<int>& coordinates) const {
  const auto dimensions = extents.size();
  int result = 0;
  for (std::size_t k = 0; k < dimensions; ++k) {
    const std::size_t d = column_major ? dimensions - 1 - k : k;
    result = result * extents[d] + coordinates[d];
  }
  return result;
}

int ProcessGrid::position_of(int rank) const {
  const auto found = std::find(ranks.begin(), ranks.end(), rank);
  return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

ProcessGrid make_grid(std::vector<int> extents, bool column_major) {
  std::int64_t positions = 1;
  for (const int extent : extents) positions *= extent;
  ProcessGrid grid{std::move(extents), column_major, {}};
  grid.ranks.resize(static_cast<std::size_t>(std::max<std::int64_t>(positions, 0)));
  std::iota(grid.ranks.begin(), grid.ranks.end(), 0);
  return grid;
}

std::string validate(const ProcessGrid& grid, int task_size) {
  std::int64_t positions = 1;
  for (std::size_t d = 0; d < grid.extents.size(); ++d) {
    if (grid.extents[d] < 1)
      return fmt::format("grid dimension {} has {} processes; it needs at least 1", d, grid.extents[d]);
    positions *= grid.extents[d];
    if (positions > INT32_MAX)
      return fmt::format("a grid of {} has too many positions", fmt::join(grid.extents, " x "));
  }
  if (positions != static_cast<std::int64_t>(grid.ranks.size())) {
    return fmt::format(
        "a grid of {} has {} positions, but {} ranks are given",
        grid.extents.empty() ? "no dimensions" : fmt::format("{}", fmt::join(grid.extents, " x ")), positions,
        grid.ranks.size());
  }
  if (task_size >= 0 && positions > task_size) {
    for (std::size_t d = 0; d < grid.extents.size(); ++d) {
      if (grid.extents[d] > task_size)
        return fmt::format("grid dimension {} has {} processes, but the task has ranks 0 to {}, which are {}",
                           d, grid.extents[d], task_size - 1, task_size);
    }
    return fmt::format("a grid of {} has {} processes in its dimensions 0 to {}, but the task has {}",
                       fmt::join(grid.extents, " x "), positions, grid.extents.size() - 1, task_size);
  }
  std::unordered_map<int, std::size_t> seen;
  for (std::size_t k = 0; k < grid.ranks.size(); ++k) {
    const int rank = grid.ranks[k];
    if (rank < 0 || (task_size >= 0 && rank >= task_size)) {
      return task_size >= 0 ? fmt::format("the grid has rank {} at position {}, but the task has {} ranks",
                                          rank, k, task_size)
                            : fmt::format("the grid has rank {} at position {}", rank, k);
    }
    const auto [other, is_new] = seen.emplace(rank, k);
    if (!is_new)
      return fmt::format("the grid has rank {} at position {} and again at {}", rank, other->second, k);
  }
  return {};
}

}  // namespace lapwing::arrays
