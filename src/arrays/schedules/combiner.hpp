// SPDX-License-Identifier: Apache-2.0
// Elements that arrive and are combined with those that are there: C = alpha A + beta C.
#pragma once

#include <complex>

#include "arrays/schedules/schedule.hpp"

namespace lapwing::arrays {

/// The formula for an element that arrives. With `beta` 0 the one that is there is not
/// read, with `alpha` 0 none needs to arrive.
struct Transform {
  std::complex<double> alpha = 1, beta = 0;
  bool conjugate = false;

  bool operator==(const Transform&) const = default;
};

/// Real and complex numbers of 4 and 8 bytes a part.
bool transformable(ElementType type);
bool is_complex(ElementType type);

/// The same elements, dense in memory of their own that begins with them, in the order
/// in which they lie in the piece's memory: what fetches them from there and what
/// combines them both go straight through it.
Piece dense_in_memory_order(const Piece& piece);

/// `arrived` holds dense_in_memory_order(piece); null where `alpha` is 0. The two do not overlap.
void combine(const Piece& piece, const Transform& transform, const void* arrived, void* local);

}  // namespace lapwing::arrays
