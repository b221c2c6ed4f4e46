// SPDX-License-Identifier: Apache-2.0
// What streams are made of.
#pragma once

#include <cstdint>

#include "arrays/schedule.hpp"

namespace lapwing::arrays {

/// A piece and the local memory of its array.
struct Part {
  const Piece* piece;
  char* local;
  std::int64_t wire;  ///< bytes of an element on its way
  std::int64_t bytes() const { return piece->elements * wire; }
};

/// Elements of a piece that have landed, from its beginning.
struct Landed {
  const Piece* piece;
  std::int64_t elements;
};

}  // namespace lapwing::arrays
