// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/local.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/schedules/index_list.hpp"

namespace lapwing::arrays {

namespace {

/// The blocks of a coordinate begin at this one.
std::int64_t first_block(const Dimension& dimension, int processes, int coordinate) {
  return (coordinate - dimension.first_process % processes + processes) % processes;
}

/// Cells of a cyclic template below t that the owner of the given first block has.
std::int64_t cells_below(const Dimension& dimension, int processes, std::int64_t block, std::int64_t t) {
  const std::int64_t period = dimension.block * processes;
  return t / period * dimension.block +
         std::clamp<std::int64_t>(t % period - block * dimension.block, 0, dimension.block);
}

/// The part of an irregular dimension, in the template.
std::pair<std::int64_t, std::int64_t> part(const Dimension& dimension, int processes, int coordinate) {
  const auto block = static_cast<std::size_t>(first_block(dimension, processes, coordinate));
  const std::int64_t low = std::max(dimension.bounds[block], dimension.offset);
  const std::int64_t high = std::min(dimension.bounds[block + 1], dimension.offset + dimension.extent);
  return {low, std::max(low, high)};
}

}  // namespace

std::int64_t owned(const Dimension& dimension, int processes, int coordinate) {
  switch (dimension.layout) {
    case Layout::collapsed:
      return dimension.extent;
    case Layout::cyclic: {
      const std::int64_t block = first_block(dimension, processes, coordinate);
      return cells_below(dimension, processes, block, dimension.offset + dimension.extent) -
             cells_below(dimension, processes, block, dimension.offset);
    }
    case Layout::irregular: {
      const auto [low, high] = part(dimension, processes, coordinate);
      return high - low;
    }
    case Layout::indexed: {
      const auto& counts = dimension.lists->counts;
      const auto at = static_cast<std::size_t>(coordinate);
      return at < counts.size() ? counts[at] : 0;
    }
  }
  return 0;
}

Place place(const Dimension& dimension, int processes, std::int64_t global) {
  const std::int64_t t = global + dimension.offset;
  switch (dimension.layout) {
    case Layout::collapsed:
      break;
    case Layout::cyclic: {
      const std::int64_t block = t / dimension.block % processes;
      const int coordinate = static_cast<int>((block + dimension.first_process) % processes);
      const std::int64_t cell = t / (dimension.block * processes) * dimension.block + t % dimension.block;
      const std::int64_t skipped =
          dimension.offset == 0 ? 0 : cells_below(dimension, processes, block, dimension.offset);
      return {coordinate, cell - skipped};
    }
    case Layout::irregular: {
      const auto above = std::upper_bound(dimension.bounds.begin(), dimension.bounds.end(), t);
      const auto block = static_cast<int>(above - dimension.bounds.begin()) - 1;
      const std::int64_t low = std::max(dimension.bounds[static_cast<std::size_t>(block)], dimension.offset);
      return {(block + dimension.first_process) % processes, t - low};
    }
    case Layout::indexed: {
      const std::int64_t position = dimension.lists->list.position(global);
      return {position < 0 ? -1 : dimension.lists->coordinate, position};
    }
  }
  return {0, global};
}

std::int64_t global_index(const Dimension& dimension, int processes, int coordinate, std::int64_t local) {
  switch (dimension.layout) {
    case Layout::collapsed:
      break;
    case Layout::cyclic: {
      const std::int64_t block = first_block(dimension, processes, coordinate);
      const std::int64_t cell = local + cells_below(dimension, processes, block, dimension.offset);
      return (cell / dimension.block * processes + block) * dimension.block + cell % dimension.block -
             dimension.offset;
    }
    case Layout::irregular:
      return part(dimension, processes, coordinate).first + local - dimension.offset;
    case Layout::indexed:
      return coordinate == dimension.lists->coordinate ? dimension.lists->list.index(local) : -1;
  }
  return local;
}

LocalPart local_part(const Distribution& distribution, int rank) {
  const std::size_t dimensions = distribution.dimensions.size();
  LocalPart result;
  result.extents.assign(dimensions, 0);
  result.allocation.assign(dimensions, 0);
  result.strides.assign(dimensions, 1);
  const int position = distribution.grid.position_of(rank);
  result.in_grid = position >= 0;
  if (result.in_grid) result.coordinates = distribution.grid.coordinates(position);
  result.elements = result.in_grid ? 1 : 0;
  std::int64_t stride = 1;
  for (std::size_t k = 0; k < dimensions; ++k) {
    const std::size_t d = distribution.order == Order::column_major ? k : dimensions - 1 - k;
    const Dimension& dimension = distribution.dimensions[d];
    if (result.in_grid) {
      const int g = dimension.grid_dimension;
      result.extents[d] = owned(dimension, distribution.processes(d),
                                g < 0 ? 0 : result.coordinates[static_cast<std::size_t>(g)]);
      result.allocation[d] = result.extents[d] + dimension.ghost_below + dimension.ghost_above;
      if (!distribution.leading.empty())
        result.allocation[d] = std::max(result.allocation[d], distribution.leading[d]);
    }
    result.elements *= result.extents[d];
    result.strides[d] = stride;
    result.first += dimension.ghost_below * stride;
    stride *= result.allocation[d];
  }
  result.allocated = result.elements == 0 ? 0 : stride;
  if (result.elements == 0) result.first = 0;
  return result;
}

std::string validate_leading(const Distribution& distribution, int rank) {
  if (distribution.leading.empty()) return {};
  if (distribution.leading.size() != distribution.dimensions.size()) {
    return fmt::format("{} leading dimensions are given for an array of {} dimensions",
                       distribution.leading.size(), distribution.dimensions.size());
  }
  Distribution tight = distribution;
  tight.leading.clear();
  const LocalPart part = local_part(tight, rank);
  if (part.elements == 0) return {};
  __int128 allocated = 1;
  for (std::size_t d = 0; d < part.allocation.size(); ++d) {
    const std::int64_t given = distribution.leading[d];
    if (given < 0 || (given != 0 && given < part.allocation[d])) {
      return fmt::format("leading dimension {} of rank {} is {}, but its part with ghosts needs {}", d, rank,
                         given, part.allocation[d]);
    }
    allocated *= std::max(given, part.allocation[d]);
    if (allocated > (std::int64_t{1} << 60))
      return fmt::format("the local allocation of rank {} is too large for this machine", rank);
  }
  return {};
}

}  // namespace lapwing::arrays
