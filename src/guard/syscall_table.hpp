// SPDX-License-Identifier: Apache-2.0
// What system calls take: which of their arguments point, and to how much.
#pragma once

#include <cstdint>

namespace lapwing::guard::dispatch {

constexpr std::int8_t once = -1, string = -2;

/// One argument of a call: a pointer to `size` bytes, or to as many `size`s as
/// another argument says.
struct Argument {
  std::uint8_t at;     ///< which argument points
  std::uint16_t size;  ///< bytes, or the size of one element
  std::int8_t count;   ///< which argument counts the elements, or `once`, or `string`
  bool reads = false;  ///< the kernel only reads: pages of a send may stay closed
};

struct Call {
  std::int16_t number;
  Argument arguments[4];  ///< ends with the first of size 0
};

/// Null for a call that the table does not know. Arguments that a call does not
/// have may hold anything, so a call that is known is asked about its own only.
const Call* find_call(long number);

}  // namespace lapwing::guard::dispatch
