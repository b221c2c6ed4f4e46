// SPDX-License-Identifier: Apache-2.0
// Which part of an array has landed when so much of a piece has.
#pragma once

#include <cstdint>

#include "arrays/schedules/schedule.hpp"
#include "arrays/view.hpp"

namespace lapwing::arrays {

/// How many elements of the piece, from its beginning, must have landed for all
/// those to have that lie in the box (indices of the receiver's whole array). An
/// upper bound, by the dimension that varies most slowly on the wire.
std::int64_t elements_before(const Piece& piece, const View& receiver, const std::int64_t* first,
                             const std::int64_t* count);

}  // namespace lapwing::arrays
