// SPDX-License-Identifier: Apache-2.0
// What streams are made of.
#pragma once

#include <cstdint>

#include "arrays/schedules/schedule.hpp"

namespace lapwing::arrays {

/// A piece and the local memory of its array.
struct Part {
  const Piece* piece;
  char* local;
  std::int64_t wire;  ///< bytes of an element on its way
  std::int64_t bytes() const { return piece->elements * wire; }
};

/// So many elements of a piece, from `from` on, or fewer so that they end with a row,
/// where that leaves any: parts of rows are moved more slowly.
inline std::int64_t whole_rows(const Piece& piece, std::int64_t from, std::int64_t count) {
  if (piece.dimensions.empty()) return count;
  const std::int64_t row = piece.dimensions.back().set->elements();
  const std::int64_t end = (from + count) / row * row;
  return end > from ? end - from : count;
}

/// Elements of a piece that have landed, from its beginning.
struct Landed {
  const Piece* piece;
  std::int64_t elements;
};

}  // namespace lapwing::arrays
