// SPDX-License-Identifier: Apache-2.0
// Elements that arrive and are added to those that are there.
#pragma once

#include "arrays/schedules/schedule.hpp"

namespace lapwing::arrays {

/// Whether elements of this type can be added: all but opaque ones.
bool addable(ElementType type);

/// Adds the dense elements at `wire` to those of the piece, whose dimensions are one
/// run each. Integers wrap around. The two do not overlap.
void add_to(const Piece& piece, const void* wire, void* local);

/// The same piece, dense in memory of its own that begins with it.
Piece dense(const Piece& piece);

}  // namespace lapwing::arrays
