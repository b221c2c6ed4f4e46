// SPDX-License-Identifier: Apache-2.0
// Sorts index lists: one pass deals them out to windows of the index space, each of which is then sorted in
// the cache.
#pragma once

#include <cstdint>
#include <span>

#include "arrays/schedules/index_part.hpp"

namespace lapwing::arrays {

/// The indices in ascending order with their positions; equal ones in the order of these. All are below 2^32.
ListedIndices sorted_with_positions(std::span<const std::int64_t> indices);

}  // namespace lapwing::arrays
