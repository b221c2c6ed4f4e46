// SPDX-License-Identifier: Apache-2.0
#include "arrays/random_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace lapwing::arrays::testing {

namespace {

bool chance(Random& random, int percent) { return drawn(random, 0, 99) < percent; }

template <class Values>
void shuffle(Random& random, Values& values) {
  std::shuffle(values.begin(), values.end(), random);
}

ElementType random_type(Random& random) {
  static constexpr ElementType types[] = {
      ElementType::int8,    ElementType::int16,  ElementType::int32,      ElementType::float32,
      ElementType::float64, ElementType::uint64, ElementType::complex128, ElementType::complex_long_double};
  return types[drawn(random, 0, 7)];
}

Dimension random_dimension(Random& random, std::int64_t extent, int grid_dimension, int processes) {
  if (grid_dimension < 0) return collapsed(extent);
  if (chance(random, 15)) {
    std::vector<std::int64_t> bounds(static_cast<std::size_t>(processes) + 1);
    for (auto& bound : bounds) bound = drawn(random, 0, extent);
    std::sort(bounds.begin(), bounds.end());
    bounds.front() = 0;
    bounds.back() = extent;
    Dimension result = irregular(bounds, grid_dimension);
    result.extent = extent;
    result.first_process = static_cast<int>(drawn(random, 0, processes - 1));
    return result;
  }
  Dimension result = chance(random, 30)
                         ? block(extent, processes, grid_dimension)
                         : cyclic(extent, drawn(random, 1, chance(random, 50) ? 3 : 9), grid_dimension);
  if (chance(random, 30)) result.first_process = static_cast<int>(drawn(random, 0, processes - 1));
  if (chance(random, 30)) result.offset = drawn(random, 0, 12);
  return result;
}

Distribution random_distribution(Random& random, const std::vector<std::int64_t>& extents, int tasks) {
  Distribution result;
  result.type = random_type(random);
  result.order = chance(random, 50) ? Order::row_major : Order::column_major;
  // A grid of a few dimensions that fits into the task.
  std::vector<int> grid;
  int positions = 1;
  const auto wanted =
      static_cast<std::size_t>(drawn(random, 0, static_cast<std::int64_t>(extents.size()) + 1));
  while (grid.size() < wanted) {
    const int extent = static_cast<int>(drawn(random, 1, std::max(1, tasks / positions)));
    grid.push_back(extent);
    positions *= extent;
  }
  shuffle(random, grid);
  std::vector<int> ranks(static_cast<std::size_t>(tasks));
  std::iota(ranks.begin(), ranks.end(), 0);
  if (chance(random, 50)) shuffle(random, ranks);
  ranks.resize(static_cast<std::size_t>(positions));
  result.grid = {grid, chance(random, 50), ranks};
  std::vector<int> places(grid.size());
  std::iota(places.begin(), places.end(), 0);
  places.resize(std::max(places.size(), extents.size()), -1);
  shuffle(random, places);
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const int g = chance(random, 80) ? places[d] : -1;
    result.dimensions.push_back(
        random_dimension(random, extents[d], g, g < 0 ? 1 : grid[static_cast<std::size_t>(g)]));
    if (chance(random, 20)) result.dimensions.back().ghost_below = drawn(random, 0, 2);
    if (chance(random, 20)) result.dimensions.back().ghost_above = drawn(random, 0, 2);
  }
  if (chance(random, 25)) {
    for (const auto extent : extents)
      result.leading.push_back(chance(random, 50) ? 0 : extent + 4 + drawn(random, 0, 3));
  }
  return result;
}

/// A section of `count` elements of an array that is made as large as needed.
SectionDimension random_part(Random& random, std::int64_t count, std::int64_t& extent) {
  const std::int64_t stride = chance(random, 60) ? 1 : drawn(random, 1, 6);
  const std::int64_t first = chance(random, 60) ? 0 : drawn(random, 0, 5);
  const std::int64_t span = count == 0 ? 0 : (count - 1) * stride + 1;
  extent = first + span + (chance(random, 60) ? 0 : drawn(random, 0, 5));
  if (count > 0 && chance(random, 20)) return {first + span - 1, count, -stride};
  return {first, count, stride};
}

}  // namespace

Case random_case(Random& random, int source_tasks, int destination_tasks, bool same) {
  Case result;
  const auto dimensions = static_cast<std::size_t>(drawn(random, 1, 4));
  static constexpr std::int64_t largest[] = {0, 150, 30, 12, 7};
  std::vector<int> permutation(dimensions);
  std::iota(permutation.begin(), permutation.end(), 0);
  if (chance(random, 50)) shuffle(random, permutation);
  std::vector<std::int64_t> counts(dimensions), source_extents(dimensions), destination_extents(dimensions);
  result.from.dimensions.resize(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) {
    counts[d] = drawn(random, chance(random, 5) ? 0 : 1, largest[dimensions]);
    result.from.dimensions[d] = random_part(random, counts[d], source_extents[d]);
  }
  for (std::size_t d = 0; d < dimensions; ++d)
    result.to.dimensions.push_back(
        random_part(random, counts[static_cast<std::size_t>(permutation[d])], destination_extents[d]));
  if (chance(random, 15)) {  // the receiver has one dimension more
    std::int64_t extent = 0;
    const auto at = drawn(random, 0, static_cast<std::int64_t>(dimensions));
    result.to.dimensions.insert(result.to.dimensions.begin() + at, random_part(random, 1, extent));
    destination_extents.insert(destination_extents.begin() + at, extent);
    permutation.insert(permutation.begin() + at, -1);
  }
  if (!std::is_sorted(permutation.begin(), permutation.end()) || permutation.size() != dimensions ||
      chance(random, 50))
    result.to.permutation = permutation;
  result.source_tasks = static_cast<int>(drawn(random, 1, 9));
  result.destination_tasks = static_cast<int>(drawn(random, 1, 9));
  auto groups = drawn(random, 0, 2);
  if (source_tasks > 0) {
    result.source_tasks = source_tasks;
    result.destination_tasks = destination_tasks;
    groups = same ? 0 : 2;
  }
  if (groups == 0) {
    result.destination_tasks = result.source_tasks;
    result.processes = Processes::same(result.source_tasks);
  } else if (groups == 1) {  // overlapping: some of the processes are in both
    std::vector<std::int64_t> all(12);
    std::iota(all.begin(), all.end(), 100);
    shuffle(random, all);
    result.processes.source.assign(all.begin(), all.begin() + result.source_tasks);
    shuffle(random, all);
    result.processes.destination.assign(all.begin(), all.begin() + result.destination_tasks);
  }
  result.source = random_distribution(random, source_extents, result.source_tasks);
  result.destination = random_distribution(random, destination_extents, result.destination_tasks);
  if (chance(random, 70)) result.destination.type = result.source.type;
  if (chance(random, 10)) {
    static constexpr std::int64_t sizes[] = {1, 3, 8, 24, 40, 72};
    result.source.type = result.destination.type = ElementType::opaque;
    result.source.opaque_bytes = result.destination.opaque_bytes = sizes[drawn(random, 0, 5)];
  }
  return result;
}

std::string Case::describe() const {
  const auto part = [](const Section& section) {
    std::string text;
    for (const auto& d : section.dimensions) text += fmt::format("[{}:{}:{}]", d.first, d.count, d.stride);
    return text + fmt::format(" permuted {}", section.permutation);
  };
  return fmt::format("{} {} ranks {} -> {} {} ranks {}", arrays::describe(source), part(from),
                     source.grid.ranks, arrays::describe(destination), part(to), destination.grid.ranks);
}

OwnerMap::OwnerMap(const Distribution& distribution, int rank, const ListsByDimension& lists)
    : distribution_(distribution) {
  // Coordinates by counting through the grid in its numbering.
  const ProcessGrid& grid = distribution.grid;
  std::vector<int> coordinates(grid.extents.size(), 0);
  for (const int owner : grid.ranks) {
    if (owner == rank) {
      in_grid_ = true;
      break;
    }
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      const std::size_t g = grid.column_major ? k : coordinates.size() - 1 - k;
      if (++coordinates[g] < grid.extents[g]) break;
      coordinates[g] = 0;
    }
  }
  if (!in_grid_) return;
  const std::size_t dimensions = distribution.dimensions.size();
  places_.resize(dimensions);
  strides_.resize(dimensions);
  std::vector<std::int64_t> allocation(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) {
    const Dimension& dimension = distribution.dimensions[d];
    std::int64_t place = 0;
    if (dimension.layout == Layout::indexed) {
      places_[d].assign(static_cast<std::size_t>(dimension.extent), -1);
      const auto g = static_cast<std::size_t>(dimension.grid_dimension);
      for (const std::int64_t i : lists.at(d)[static_cast<std::size_t>(coordinates[g])])
        places_[d][static_cast<std::size_t>(i)] = place++;
    }
    for (std::int64_t i = 0; i < dimension.extent && dimension.layout != Layout::indexed; ++i) {
      bool mine = true;
      const std::int64_t t = i + dimension.offset;
      if (dimension.layout != Layout::collapsed) {
        const auto g = static_cast<std::size_t>(dimension.grid_dimension);
        std::int64_t block = t / dimension.block;
        if (dimension.layout == Layout::irregular) {
          block = 0;
          while (t >= dimension.bounds[static_cast<std::size_t>(block) + 1]) ++block;
        }
        mine = (block + dimension.first_process) % grid.extents[g] == coordinates[g];
      }
      places_[d].push_back(mine ? place++ : -1);
    }
    allocation[d] = place + dimension.ghost_below + dimension.ghost_above;
    if (!distribution.leading.empty()) allocation[d] = std::max(allocation[d], distribution.leading[d]);
  }
  std::int64_t stride = 1;
  for (std::size_t k = 0; k < dimensions; ++k) {
    const std::size_t d = distribution.order == Order::column_major ? k : dimensions - 1 - k;
    strides_[d] = stride;
    first_ += distribution.dimensions[d].ghost_below * stride;
    stride *= allocation[d];
  }
  allocated_ = stride;
}

std::vector<std::int64_t> OwnerMap::indices(std::size_t dimension) const {
  std::vector<std::int64_t> result;
  if (!in_grid_) return result;
  const auto& places = places_[dimension];
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] >= 0) result.push_back(static_cast<std::int64_t>(i));
  return result;
}

std::int64_t OwnerMap::offset(const std::vector<std::int64_t>& index) const {
  if (!in_grid_) return -1;
  std::int64_t result = first_;
  for (std::size_t d = 0; d < index.size(); ++d) {
    const std::int64_t place = places_[d][static_cast<std::size_t>(index[d])];
    if (place < 0) return -1;
    result += place * strides_[d];
  }
  return result;
}

}  // namespace lapwing::arrays::testing
