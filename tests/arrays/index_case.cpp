// SPDX-License-Identifier: Apache-2.0
// Index lists for random transfers: partitions for senders, anything for receivers, in any order.
#include <algorithm>
#include <numeric>

#include "arrays/random_case.hpp"
#include "arrays/schedules/index_list.hpp"

namespace lapwing::arrays::testing {

namespace {

using List = std::vector<std::int64_t>;

/// Each index to one process: as blocks, dealt out in turn, or at random.
std::vector<List> partition(Random& random, std::int64_t extent, int processes) {
  std::vector<List> lists(static_cast<std::size_t>(processes));
  const std::int64_t style = drawn(random, 0, 3), size = drawn(random, 1, 5), shift = drawn(random, 0, 9);
  for (std::int64_t i = 0; i < extent; ++i) {
    std::int64_t owner = drawn(random, 0, processes - 1);
    if (style == 0) owner = i * processes / extent;
    if (style == 1) owner = (i / size + shift) % processes;
    if (style == 2 && i % 7 < 4) owner = (i / size) % processes;
    lists[static_cast<std::size_t>(owner)].push_back(i);
  }
  return lists;
}

std::vector<List> random_lists(Random& random, std::int64_t extent, int processes, bool receives) {
  std::vector<List> lists = partition(random, extent, processes);
  const bool overlaps = receives && drawn(random, 0, 1) == 0;
  for (List& list : lists) {
    if (overlaps) {
      const std::int64_t percent = drawn(random, 0, 3) == 0 ? 0 : drawn(random, 0, 80);
      List other;
      for (std::int64_t i = 0; i < extent; ++i) {
        const bool had = std::binary_search(list.begin(), list.end(), i);
        if (drawn(random, 0, 99) < (had ? 60 : percent / 2)) other.push_back(i);
      }
      list = std::move(other);
    }
    const std::int64_t order = drawn(random, 0, 4);
    if (order == 0) std::reverse(list.begin(), list.end());
    if (order == 1) std::shuffle(list.begin(), list.end(), random);
    if (order == 2 && !list.empty())
      std::rotate(list.begin(), list.begin() + drawn(random, 0, static_cast<std::int64_t>(list.size()) - 1),
                  list.end());
  }
  return lists;
}

void add_to(Random& random, Distribution& distribution, bool receives, ListsByDimension& lists) {
  for (std::size_t d = 0; d < distribution.dimensions.size(); ++d) {
    Dimension& dimension = distribution.dimensions[d];
    if (dimension.grid_dimension < 0 || drawn(random, 0, 3) == 0) continue;
    lists[d] = random_lists(random, dimension.extent, distribution.processes(d), receives);
    Dimension changed;
    changed.extent = dimension.extent;
    changed.layout = Layout::indexed;
    changed.grid_dimension = dimension.grid_dimension;
    dimension = changed;
  }
  distribution = with_lists(distribution, lists, -1, receives ? 2 : 1);
}

}  // namespace

Distribution with_lists(const Distribution& distribution, const ListsByDimension& lists, int rank,
                        std::int64_t number) {
  Distribution result = distribution;
  const int position = rank < 0 ? -1 : distribution.grid.position_of(rank);
  for (const auto& [d, all] : lists) {
    auto made = std::make_shared<IndexLists>();
    made->id = {number, static_cast<std::int64_t>(d)};
    made->extent = result.dimensions[d].extent;
    made->processes = static_cast<int>(all.size());
    for (const List& list : all) made->counts.push_back(static_cast<std::int64_t>(list.size()));
    if (position >= 0) {
      const auto g = static_cast<std::size_t>(result.dimensions[d].grid_dimension);
      made->coordinate = distribution.grid.coordinates(position)[g];
      std::string problem;
      made->list = IndexList(all[static_cast<std::size_t>(made->coordinate)], made->extent, &problem);
    }
    result.dimensions[d].lists = std::move(made);
  }
  return result;
}

void add_lists(Random& random, Case& c) {
  add_to(random, c.source, false, c.source_lists);
  add_to(random, c.destination, true, c.destination_lists);
}

}  // namespace lapwing::arrays::testing
