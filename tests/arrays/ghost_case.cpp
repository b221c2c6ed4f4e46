// SPDX-License-Identifier: Apache-2.0
#include "arrays/ghost_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "arrays/random_case.hpp"

namespace lapwing::arrays::testing {

namespace {

bool one_in(Random& random, int n) { return drawn(random, 1, n) == 1; }

ElementType any_type(Random& random) {
  static constexpr ElementType types[] = {ElementType::int8,       ElementType::uint16,
                                          ElementType::float32,    ElementType::float64,
                                          ElementType::complex128, ElementType::complex_long_double};
  return types[drawn(random, 0, 5)];
}

// In one block on each process.
Dimension blocks(Random& random, std::int64_t extent, int g, int processes) {
  Dimension made;
  const std::int64_t offset = one_in(random, 4) ? drawn(random, 0, 5) : 0;
  if (one_in(random, 3)) {
    std::vector<std::int64_t> bounds(static_cast<std::size_t>(processes) + 1);
    for (auto& bound : bounds) bound = drawn(random, 0, extent);
    std::sort(bounds.begin(), bounds.end());
    bounds.front() = 0;
    bounds.back() = extent;
    made = irregular(bounds, g);
    made.extent = extent;
  } else if (one_in(random, 3)) {
    // The offset counts, and what does not fill the last blocks leaves processes without elements.
    const std::int64_t least = std::max<std::int64_t>(1, (extent + offset + processes - 1) / processes);
    made = cyclic(extent, drawn(random, least, 2 * least), g);
    made.offset = offset;
  } else {
    made = block(extent, processes, g);
  }
  if (one_in(random, 4)) made.first_process = static_cast<int>(drawn(random, 0, processes - 1));
  return made;
}

std::byte byte_of(std::int64_t id, std::int64_t k) {
  auto mixed = static_cast<std::uint64_t>(id + 1) * 0x9E3779B97F4A7C15u;
  mixed ^= mixed >> 29;
  return static_cast<std::byte>((mixed >> (k % 7 * 8)) + static_cast<std::uint64_t>(k));
}

template <class Cells, class Visit>
void each_of(const Cells& cells, Visit visit) {
  std::vector<std::size_t> at(cells.size(), 0);
  for (const auto& along : cells)
    if (along.empty()) return;
  for (;;) {
    visit(at);
    std::size_t d = cells.size();
    while (d > 0 && ++at[d - 1] == cells[d - 1].size()) at[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace

GhostCase random_ghost_case(Random& random, int tasks) {
  GhostCase made;
  Distribution& array = made.distribution;
  const auto dimensions = static_cast<std::size_t>(drawn(random, 1, 4));
  static constexpr std::int64_t largest[] = {0, 60, 24, 10, 6};
  array.type = any_type(random);
  if (one_in(random, 6)) {
    static constexpr std::int64_t sizes[] = {1, 3, 24, 40};
    array.type = ElementType::opaque;
    array.opaque_bytes = sizes[drawn(random, 0, 3)];
  }
  array.order = one_in(random, 2) ? Order::row_major : Order::column_major;
  std::vector<int> grid;
  int positions = 1;
  const auto wanted = static_cast<std::size_t>(drawn(random, 0, static_cast<std::int64_t>(dimensions) + 1));
  while (grid.size() < wanted) {
    grid.push_back(static_cast<int>(drawn(random, 1, std::max(1, tasks / positions))));
    positions *= grid.back();
  }
  std::shuffle(grid.begin(), grid.end(), random);
  std::vector<int> ranks(static_cast<std::size_t>(tasks));
  std::iota(ranks.begin(), ranks.end(), 0);
  if (one_in(random, 2)) std::shuffle(ranks.begin(), ranks.end(), random);
  ranks.resize(static_cast<std::size_t>(positions));
  array.grid = {grid, one_in(random, 2), ranks};
  std::vector<int> places(grid.size());
  std::iota(places.begin(), places.end(), 0);
  places.resize(std::max(places.size(), dimensions), -1);
  std::shuffle(places.begin(), places.end(), random);
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::int64_t extent = drawn(random, one_in(random, 20) ? 0 : 1, largest[dimensions]);
    const int g = places[d];
    const int processes = g < 0 ? 1 : grid[static_cast<std::size_t>(g)];
    Dimension next = g < 0 ? collapsed(extent) : blocks(random, extent, g, processes);
    if (g >= 0 && one_in(random, 4)) {
      next = cyclic(extent, drawn(random, 1, 3), g);  // no ghosts
    } else if (!one_in(random, 5)) {
      // Wider than blocks now and then, and than the array.
      const std::int64_t widest = one_in(random, 6) ? extent + 3 : 3;
      next.ghost_below = drawn(random, 0, widest);
      next.ghost_above = drawn(random, 0, widest);
    }
    array.dimensions.push_back(std::move(next));
  }
  if (one_in(random, 4)) {
    for (const Dimension& d : array.dimensions)
      array.leading.push_back(
          one_in(random, 2) ? 0 : d.extent + d.ghost_below + d.ghost_above + drawn(random, 0, 3));
  }
  made.update.corners = one_in(random, 2);
  if (!one_in(random, 3))
    for (std::size_t d = 0; d < dimensions; ++d) made.update.periodic.push_back(one_in(random, 2));
  return made;
}

std::string GhostCase::describe() const {
  std::string text = arrays::describe(distribution) + (update.corners ? " corners" : " faces");
  for (std::size_t d = 0; d < distribution.dimensions.size(); ++d) {
    const Dimension& dimension = distribution.dimensions[d];
    text += fmt::format(" [-{} +{} from {} offset {}{}]", dimension.ghost_below, dimension.ghost_above,
                        dimension.first_process, dimension.offset, update.wraps(d) ? " periodic" : "");
  }
  return text + fmt::format(" ranks {} {}", distribution.grid.ranks,
                            distribution.order == Order::row_major ? "row-major" : "column-major");
}

std::vector<std::vector<GhostMemory::Cell>> GhostMemory::cells() const {
  const OwnerMap map(case_.distribution, rank_);
  std::vector<std::vector<Cell>> result;
  for (std::size_t d = 0; d < case_.distribution.dimensions.size(); ++d) {
    const Dimension& dimension = case_.distribution.dimensions[d];
    const std::vector<std::int64_t> mine = map.indices(d);
    const auto count = static_cast<std::int64_t>(mine.size());
    auto& along = result.emplace_back();
    if (mine.empty()) continue;
    for (std::int64_t l = -dimension.ghost_below; l < count + dimension.ghost_above; ++l) {
      const bool ghost = l < 0 || l >= count;
      std::int64_t index = ghost ? mine.front() + l : mine[static_cast<std::size_t>(l)];
      if (ghost && case_.update.wraps(d))
        index = (index % dimension.extent + dimension.extent) % dimension.extent;
      if (index < 0 || index >= dimension.extent) index = -1;
      along.push_back({l, index, ghost});
    }
  }
  return result;
}

std::vector<GhostMemory::Known> GhostMemory::known() const {
  const OwnerMap map(case_.distribution, rank_);
  const auto all = cells();
  std::vector<Known> result;
  each_of(all, [&](const std::vector<std::size_t>& at) {
    Known next{map.first(), {}, false};
    int beside = 0;
    for (std::size_t d = 0; d < at.size(); ++d) {
      const Cell& cell = all[d][at[d]];
      if (cell.index < 0) return;
      next.offset += cell.local * map.stride(d);
      next.index.push_back(cell.index);
      beside += cell.ghost ? 1 : 0;
    }
    next.ghost = beside > 0;
    if (beside < 2 || case_.update.corners) result.push_back(std::move(next));
  });
  return result;
}

void GhostMemory::fill(std::int64_t turn) {
  const Distribution& array = case_.distribution;
  const std::int64_t size = array.element_bytes();
  const auto all = cells();
  const bool empty = std::any_of(all.begin(), all.end(), [](const auto& along) { return along.empty(); });
  elements_ = empty ? 0 : OwnerMap(array, rank_).allocated();
  memory_.assign(static_cast<std::size_t>(elements_ * size), std::byte{0x55});
  expected_ = memory_;
  ghosts_ = 0;
  for (const Known& each : known()) {
    std::int64_t id = 7 * turn;
    for (std::size_t d = 0; d < each.index.size(); ++d) id = id * array.dimensions[d].extent + each.index[d];
    ghosts_ += each.ghost ? 1 : 0;
    for (std::int64_t k = 0; k < size; ++k) {
      const auto place = static_cast<std::size_t>(each.offset * size + k);
      expected_[place] = byte_of(id, k);
      if (!each.ghost) memory_[place] = expected_[place];
    }
  }
}

}  // namespace lapwing::arrays::testing
