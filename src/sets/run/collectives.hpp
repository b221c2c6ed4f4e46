// SPDX-License-Identifier: Apache-2.0
// A group's call, carried out by a set that is not all of its communicator.
#pragma once

#include <string>

#include "sets/family.hpp"
#include "sets/group_call.hpp"

namespace lapwing::sets {

/// "MPI_Bcast at x.c:12"
std::string place_of(const GroupCall& call);

/// Every member of `set` makes this call together, and no other process. Data
/// are where the program put them: blocks at the ranks of the communicator, and
/// those of absent ranks are neither read nor written. False: MPI is to make the
/// call as it is, or on made->instead.
bool carry_out(Family& family, Set& set, const GroupCall& call, int* result, Made* made);

/// Reports `sentence` once, by the set's first member, and raises `code` on the
/// call's communicator; what the call returns.
int refuse(Family& family, Set& set, const GroupCall& call, int code, const std::string& sentence);

/// Ends the job where the call's communicator is that of a set whose merge has been
/// reached, or where it would free one of Lapwing's.
void refuse_stale(const GroupCall& call);

/// The calls that move data; the set's communicator is `family.comm_of(set)`.
int move_data(Family& family, Set& set, const GroupCall& call, Made* made);
/// MPI_Reduce_scatter and _block, whose input has a block for each rank.
int reduce_blocks(Family& family, Set& set, const GroupCall& call, Made* made);

/// As MPI's int-sized interfaces take it; false where it is too large.
inline bool as_int(long long value, int* out) {
  *out = static_cast<int>(value);
  return *out == value;
}

}  // namespace lapwing::sets
