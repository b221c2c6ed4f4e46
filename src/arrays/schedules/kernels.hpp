// SPDX-License-Identifier: Apache-2.0
// The inner loops: they move rows of atoms of a fixed size between places given
// by tables of byte offsets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lapwing::arrays {

/// One side of a block of rows. Atom (y, x) is at base + rows[y] + columns[x];
/// without columns, at base + rows[y] + x * pace, where a pace of 0 is that of atoms side by side, or, if
/// there is a list, + listed[x] * pace. A list meets another one, or atoms side by side.
struct BlockSide {
  const std::int64_t* rows;
  const std::int64_t* columns;
  std::int64_t pace = 0;
  const std::uint32_t* listed = nullptr;
};

/// Largest atom; a power of two.
inline constexpr std::int64_t largest_atom = 32;
constexpr bool kernel_atom(std::int64_t bytes) { return bytes <= largest_atom && (bytes & (bytes - 1)) == 0; }

/// Moves `height` rows of `width` atoms of `atom` bytes: 1, 2, 4, 8, 16 or 32.
void move_rows(std::int64_t atom, const std::byte* source, BlockSide from, std::byte* destination,
               BlockSide to, std::int64_t height, std::int64_t width);

/// The same for a block whose columns are far apart at the source, where its
/// rows are near: by tiles, so that cache lines are used whole. Columns are given, or side by side.
void move_transposed(std::int64_t atom, const std::byte* source, BlockSide from, std::byte* destination,
                     BlockSide to, std::int64_t height, std::int64_t width, bool stream);

/// Like memcpy. Streamed: past the caches, for what is larger than they are; a
/// line that need not be read before it is written costs a third less.
void copy_run(std::byte* destination, const std::byte* source, std::int64_t bytes, bool stream);

/// After streaming, before any thread is told that the bytes are there.
void end_streaming();

}  // namespace lapwing::arrays
