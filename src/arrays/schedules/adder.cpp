// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/adder.hpp"

#include <complex>
#include <cstddef>
#include <cstdint>

namespace lapwing::arrays {

namespace {

// Rows of the last dimension, one after the other. Pieces of ghosts have a dimension at least.
template <typename T>
void add_rows(const Piece& piece, const void* wire, void* local) {
  const auto* from = static_cast<const T*>(wire);
  auto* const to = static_cast<T*>(local) + piece.base;
  const std::size_t last = piece.dimensions.size() - 1;
  std::vector<std::int64_t> at(last, 0);
  const std::int64_t row = piece.dimensions[last].set->elements(), stride = piece.dimensions[last].stride;
  for (std::int64_t done = 0; done < piece.elements; done += row) {
    T* here = to;
    for (std::size_t d = 0; d < last; ++d) here += at[d] * piece.dimensions[d].stride;
    for (std::int64_t i = 0; i < row; ++i) here[i * stride] = static_cast<T>(here[i * stride] + from[i]);
    from += row;
    for (std::size_t d = last; d-- > 0;) {
      if (++at[d] < piece.dimensions[d].set->elements()) break;
      at[d] = 0;
    }
  }
}

}  // namespace

bool addable(ElementType type) { return type != ElementType::opaque; }

void add_to(const Piece& piece, const void* wire, void* local) {
  switch (piece.local) {
    // Signed integers by unsigned ones: the same bits, and these may wrap.
    case ElementType::int8:
    case ElementType::uint8:
      return add_rows<std::uint8_t>(piece, wire, local);
    case ElementType::int16:
    case ElementType::uint16:
      return add_rows<std::uint16_t>(piece, wire, local);
    case ElementType::int32:
    case ElementType::uint32:
      return add_rows<std::uint32_t>(piece, wire, local);
    case ElementType::int64:
    case ElementType::uint64:
      return add_rows<std::uint64_t>(piece, wire, local);
    case ElementType::float32:
      return add_rows<float>(piece, wire, local);
    case ElementType::float64:
      return add_rows<double>(piece, wire, local);
    case ElementType::long_double:
      return add_rows<long double>(piece, wire, local);
    case ElementType::complex64:
      return add_rows<std::complex<float>>(piece, wire, local);
    case ElementType::complex128:
      return add_rows<std::complex<double>>(piece, wire, local);
    case ElementType::complex_long_double:
      return add_rows<std::complex<long double>>(piece, wire, local);
    case ElementType::opaque:
      return;
  }
}

Piece dense(const Piece& piece) {
  Piece made = piece;
  made.base = 0;
  std::int64_t stride = 1;
  for (std::size_t d = made.dimensions.size(); d-- > 0;) {
    made.dimensions[d].stride = stride;
    stride *= made.dimensions[d].set->elements();
  }
  return made;
}

}  // namespace lapwing::arrays
