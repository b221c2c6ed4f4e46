// SPDX-License-Identifier: Apache-2.0
// Where the elements lie that a process shares with each coordinate of the other side.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "arrays/schedules/falls.hpp"
#include "arrays/schedules/index_part.hpp"

namespace lapwing::arrays {

/// Of the part that this process holds, what it shares with each coordinate.
std::vector<Shared> shared_sets(const IndexPart& part, std::int64_t step,
                                const std::map<int, Indices>& shared);

}  // namespace lapwing::arrays
