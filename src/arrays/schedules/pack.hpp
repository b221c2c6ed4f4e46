// SPDX-License-Identifier: Apache-2.0
// Between local memory and the wire (HPF/MPI 2.1, step 5): gathers and scatters
// a piece's elements in the wire's order. Any range of elements can be done by
// itself, so that strips of any size may be packed as they are needed.
#pragma once

#include <cstdint>

#include "arrays/schedules/schedule.hpp"

namespace lapwing::arrays {

// `local` is the beginning of the local allocation, ghosts and all. Safe to
// call from several threads.

/// Elements [from, from + count) of the piece to the wire.
void pack(const Piece& piece, const void* local, std::int64_t from, std::int64_t count, void* wire);

/// And back, converting from the wire's type to that of the allocation.
void unpack(const Piece& piece, void* local, std::int64_t from, std::int64_t count, const void* wire);

/// Elements [from, from + count) of a piece that stays on its process: from one
/// allocation to another, which do not overlap. `out` is the sender's view of it,
/// `in` the receiver's. In panels the order is not that of the wire.
void copy_between(const Piece& out, const void* a, const Piece& in, void* b, std::int64_t from,
                  std::int64_t count);
inline void copy_between(const Piece& out, const void* a, const Piece& in, void* b) {
  copy_between(out, a, in, b, 0, out.elements);
}

/// Whether the piece is one contiguous run of local memory of the wire's type,
/// which need not be packed; `offset` is then in elements.
bool contiguous(const Piece& piece, std::int64_t& offset);

}  // namespace lapwing::arrays
