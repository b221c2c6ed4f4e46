// SPDX-License-Identifier: Apache-2.0
// Helpers of the property tests of transfers.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "arrays/random_case.hpp"
#include "arrays/transfers/exchange.hpp"
#include "arrays/transfers/index_lists.hpp"
#include "arrays/transfers/near_streams.hpp"
#include "entry/arrays/arrays.hpp"

namespace lapwing::arrays::testing {

using Index = std::vector<std::int64_t>;

template <class Visit>
void each_index(const Index& extents, Visit visit) {
  Index index(extents.size(), 0);
  for (const std::int64_t extent : extents)
    if (extent == 0) return;
  for (;;) {
    visit(index);
    std::size_t d = extents.size();
    while (d > 0 && ++index[d - 1] == extents[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

/// By the processes of the task that has the array.
inline void make_lists(lapwing_tasks* tasks, Distribution& distribution, const ListsByDimension& lists) {
  for (const auto& [d, all] : lists) {
    Dimension& dimension = distribution.dimensions[d];
    const int position = distribution.grid.position_of(lapwing_tasks_process_rank(tasks));
    const auto g = static_cast<std::size_t>(dimension.grid_dimension);
    std::vector<std::int64_t> mine;
    if (position >= 0) mine = all[static_cast<std::size_t>(distribution.grid.coordinates(position)[g])];
    const Error error = make_index_lists(*tasks->comm, dimension.extent, mine, distribution.grid,
                                         dimension.grid_dimension, {}, &dimension.lists);
    ASSERT_FALSE(error) << error.text;
  }
}

/// These arrays are small, so half of the time strips are.
inline void draw_sizes(std::mt19937_64& random) {
  const bool small = random() % 2;
  Exchange::one_message = small ? 50 : 192 << 10;
  Exchange::strip_size = small ? 40 : 128 << 10;
  Exchange::posted_ahead = small ? 100 : 8 << 20;
  // By memory that is shared, by reading another's memory, by messages.
  Exchange::sharing = random() % 3 != 0;
  NodeWire::reading = random() % 2 ? NodeWire::Reading::always : NodeWire::Reading::never;
  NearStreams::packed_strip = NearStreams::read_strip = small ? 40 : NodeWire::slot_bytes;
  NearStreams::long_run = small ? 8 : 1024;
}

}  // namespace lapwing::arrays::testing
