// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/distribution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "arrays/schedules/index_list.hpp"

namespace lapwing::arrays {

namespace {

// Far enough below 2^63 that no sum of two of these overflows.
constexpr std::int64_t largest = std::int64_t{1} << 60;

std::string validate_cyclic(const Dimension& dimension, std::size_t d, int processes) {
  if (dimension.block < 1)
    return fmt::format("dimension {} has blocks of {} elements; a block needs at least 1", d,
                       dimension.block);
  if (dimension.block > largest / processes)
    return fmt::format("dimension {} has blocks of {} elements on {} processes; that is too large", d,
                       dimension.block, processes);
  if (!dimension.bounds.empty())
    return fmt::format("dimension {} is cyclic, but {} boundaries are given", d, dimension.bounds.size());
  return {};
}

std::string validate_irregular(const Dimension& dimension, std::size_t d, int processes) {
  const auto& bounds = dimension.bounds;
  if (static_cast<std::int64_t>(bounds.size()) != std::int64_t{processes} + 1) {
    return fmt::format("dimension {} lies on {} processes and needs {} boundaries, but {} are given", d,
                       processes, processes + 1, bounds.size());
  }
  for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
    if (bounds[k] > bounds[k + 1]) {
      return fmt::format("boundary {} of dimension {} is {}, which is above the next one, {}", k, d,
                         bounds[k], bounds[k + 1]);
    }
  }
  if (bounds.front() < 0) return fmt::format("the first boundary of dimension {} is {}", d, bounds.front());
  if (bounds.front() > dimension.offset) {
    return fmt::format("the first boundary of dimension {} is {}, but its elements begin at {}", d,
                       bounds.front(), dimension.offset);
  }
  if (bounds.back() < dimension.offset + dimension.extent) {
    return fmt::format("the last boundary of dimension {} is {}, but its elements end at {}", d,
                       bounds.back(), dimension.offset + dimension.extent);
  }
  return {};
}

std::string validate_indexed(const Dimension& dimension, std::size_t d, int processes) {
  if (!dimension.lists)
    return fmt::format("dimension {} is to be distributed by index lists, but has none", d);
  const IndexLists& lists = *dimension.lists;
  if (lists.processes != processes) {
    return fmt::format("dimension {} lies on {} processes, but its index lists were made for {}", d,
                       processes, lists.processes);
  }
  if (lists.extent != dimension.extent) {
    return fmt::format("dimension {} has an extent of {}, but its index lists were made for {}", d,
                       dimension.extent, lists.extent);
  }
  if (dimension.offset != 0 || dimension.first_process != 0 || dimension.ghost_below != 0 ||
      dimension.ghost_above != 0) {
    return fmt::format(
        "dimension {} is distributed by index lists; it has no alignment, no first process and no ghost "
        "layers "
        "(a receiver's lists may name the halo too)",
        d);
  }
  return {};
}

std::string validate_placing(const Distribution& distribution, std::size_t d, std::vector<int>& users) {
  const Dimension& dimension = distribution.dimensions[d];
  const int g = dimension.grid_dimension;
  if (dimension.layout == Layout::collapsed) {
    if (g >= 0) return fmt::format("dimension {} is collapsed, but grid dimension {} is given for it", d, g);
    return {};
  }
  const int available = static_cast<int>(distribution.grid.extents.size());
  if (g < 0 || g >= available)
    return fmt::format("dimension {} lies on grid dimension {}, but the grid has {}", d, g, available);
  int& user = users[static_cast<std::size_t>(g)];
  if (user >= 0) return fmt::format("dimensions {} and {} both lie on grid dimension {}", user, d, g);
  user = static_cast<int>(d);
  const int processes = distribution.grid.extents[static_cast<std::size_t>(g)];
  if (dimension.first_process < 0 || dimension.first_process >= processes) {
    return fmt::format("the first block of dimension {} is on process {}, but grid dimension {} has {}", d,
                       dimension.first_process, g, processes);
  }
  if (dimension.layout == Layout::indexed) return validate_indexed(dimension, d, processes);
  return dimension.layout == Layout::cyclic ? validate_cyclic(dimension, d, processes)
                                            : validate_irregular(dimension, d, processes);
}

std::string layout_name(const Dimension& dimension, int processes) {
  switch (dimension.layout) {
    case Layout::collapsed:
      return "*";
    case Layout::irregular:
      return fmt::format("IRREGULAR({})", fmt::join(dimension.bounds, ","));
    case Layout::indexed:
      return fmt::format("INDEXED({})", processes);
    case Layout::cyclic:
      break;
  }
  const bool covers = dimension.offset + dimension.extent <= dimension.block * processes;
  return fmt::format("{}({}){}{}", covers ? "BLOCK" : "CYCLIC", dimension.block,
                     dimension.offset == 0 ? "" : fmt::format("+{}", dimension.offset),
                     dimension.first_process == 0 ? "" : fmt::format(" from {}", dimension.first_process));
}

}  // namespace

Dimension collapsed(std::int64_t extent) {
  Dimension result;
  result.extent = extent;
  return result;
}

Dimension cyclic(std::int64_t extent, std::int64_t block, int grid_dimension) {
  Dimension result;
  result.extent = extent;
  result.layout = Layout::cyclic;
  result.block = block;
  result.grid_dimension = grid_dimension;
  return result;
}

Dimension block(std::int64_t extent, int processes, int grid_dimension) {
  return cyclic(extent, processes < 1 ? 1 : std::max<std::int64_t>(1, (extent + processes - 1) / processes),
                grid_dimension);
}

Dimension irregular(std::vector<std::int64_t> bounds, int grid_dimension) {
  Dimension result;
  result.extent = bounds.empty() ? 0 : bounds.back() - bounds.front();
  result.offset = bounds.empty() ? 0 : bounds.front();
  result.layout = Layout::irregular;
  result.bounds = std::move(bounds);
  result.grid_dimension = grid_dimension;
  return result;
}

int Distribution::processes(std::size_t d) const {
  const int g = dimensions[d].grid_dimension;
  return g < 0 ? 1 : grid.extents[static_cast<std::size_t>(g)];
}

std::int64_t Distribution::elements() const {
  std::int64_t result = 1;
  for (const Dimension& dimension : dimensions) result *= dimension.extent;
  return result;
}

bool Distribution::same_as(const Distribution& other) const {
  return type == other.type && opaque_bytes == other.opaque_bytes && dimensions == other.dimensions &&
         grid == other.grid && order == other.order;
}

std::string validate(const Distribution& distribution, int task_size) {
  if (static_cast<int>(distribution.type) >= element_types)
    return fmt::format("element type {} is not known", static_cast<int>(distribution.type));
  if (distribution.type == ElementType::opaque ? distribution.opaque_bytes < 1
                                               : distribution.opaque_bytes != 0) {
    return fmt::format("elements of type {} have a size of {} bytes", name_of(distribution.type),
                       distribution.opaque_bytes);
  }
  if (std::string problem = validate(distribution.grid, task_size); !problem.empty()) return problem;
  std::vector<int> users(distribution.grid.extents.size(), -1);
  __int128 bytes = distribution.element_bytes();
  bool empty = false;
  for (std::size_t d = 0; d < distribution.dimensions.size(); ++d) {
    const Dimension& dimension = distribution.dimensions[d];
    if (dimension.extent < 0) return fmt::format("dimension {} has an extent of {}", d, dimension.extent);
    if (dimension.offset < 0)
      return fmt::format("dimension {} has an alignment offset of {}", d, dimension.offset);
    if (dimension.ghost_below < 0 || dimension.ghost_above < 0) {
      return fmt::format("dimension {} has {} and {} ghost layers", d, dimension.ghost_below,
                         dimension.ghost_above);
    }
    if (dimension.extent > largest || dimension.offset > largest || dimension.ghost_below > largest ||
        dimension.ghost_above > largest) {
      return fmt::format("dimension {} with extent {} and offset {} is too large", d, dimension.extent,
                         dimension.offset);
    }
    if (std::string problem = validate_placing(distribution, d, users); !problem.empty()) return problem;
    empty = empty || dimension.extent == 0;
    bytes *= std::max<std::int64_t>(1, dimension.extent + dimension.ghost_below + dimension.ghost_above);
    if (!empty && bytes > 2 * static_cast<__int128>(largest))
      return fmt::format("with dimension {} of extent {} the array is too large", d, dimension.extent);
  }
  return {};
}

std::string describe(const Distribution& distribution) {
  std::vector<std::int64_t> extents;
  std::vector<std::string> layouts;
  for (std::size_t d = 0; d < distribution.dimensions.size(); ++d) {
    extents.push_back(distribution.dimensions[d].extent);
    layouts.push_back(layout_name(distribution.dimensions[d], distribution.processes(d)));
  }
  return fmt::format(
      "{} ({}) ({}) onto {}", name_of(distribution.type), fmt::join(extents, ", "), fmt::join(layouts, ", "),
      distribution.grid.extents.empty() ? "1"
                                        : fmt::format("{}", fmt::join(distribution.grid.extents, " x ")));
}

}  // namespace lapwing::arrays
