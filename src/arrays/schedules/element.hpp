// SPDX-License-Identifier: Apache-2.0
// What an array's elements are, and which of them C converts into which.
#pragma once

#include <cstdint>
#include <string_view>

namespace lapwing::arrays {

enum class ElementType : std::uint8_t {
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float32,
  float64,
  long_double,
  complex64,   ///< two float32
  complex128,  ///< two float64
  complex_long_double,
  opaque  ///< bytes that only their owner understands; never converted
};
inline constexpr int element_types = 15;

/// The size in bytes; 0 for opaque, whose size the distribution says.
std::int64_t size_of(ElementType type);
std::string_view name_of(ElementType type);

/// Whether elements of one type may be received as another. All numbers
/// convert, as assignment in C does: to integers by dropping the fraction, from
/// complex by dropping the imaginary part. Beyond C, a value that an integer
/// type cannot hold becomes its nearest bound, and not-a-number becomes 0.
bool convertible(ElementType from, ElementType to);

/// Converts count elements. The ranges do not overlap; need no alignment.
void convert(ElementType from, const void* source, ElementType to, void* destination, std::int64_t count);

}  // namespace lapwing::arrays
