// SPDX-License-Identifier: Apache-2.0
// The memory that a call reads and writes.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "sets/group_call.hpp"
#include "sets/votes/agreement.hpp"

namespace lapwing::sets {

/// A run of bytes; none where begin is null.
struct Area {
  char* begin = nullptr;
  std::size_t length = 0;
  bool written = false;
  bool received = false;  ///< belongs to the call's receive buffer

  char* end() const { return begin + length; }
  bool overlaps(const Area& other) const { return begin < other.end() && other.begin < end(); }
};

/// Of `count` elements: none where they are not one run, or have no byte.
Area area_of(const void* buffer, MPI_Count count, MPI_Datatype type, bool written);

struct Areas {
  std::vector<Area> list;
  bool complete = true;  ///< no buffer has holes
};

/// There should be a buffer, and the program passes none. Types with addresses of their own need none.
bool is_missing(const Data& data);

/// The memory that this process uses in a collective call, as far as its arguments say exactly.
Areas areas_of(const GroupCall& call, const Circle& circle);

}  // namespace lapwing::sets
