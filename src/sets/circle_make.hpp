// SPDX-License-Identifier: Apache-2.0
// Circles of communicators, windows and files, named alike by all members.
#pragma once

#include "sets/votes/agreement.hpp"

namespace lapwing::sets {

/// World ranks of a communicator's processes, in its order (both groups of an
/// intercommunicator, `first` first); empty if one is not of this world.
struct Members {
  std::vector<int> all, peers;
  bool inter = false, first_side = true;
};
Members members_of(MPI_Comm comm);

/// Of a group, in its order; empty if one is not of this world.
std::vector<int> world_ranks(MPI_Group group);

void make_world_circles();
/// The group that MPI_Comm_create_group is called with.
Circle* group_circle(const Circle& parent, MPI_Group group);
/// This process and `other` (a world rank), who meet on `peers` with a tag.
Circle* pair_circle(const Circle& peers, int other, int tag);
/// The number on both sides of an intercommunicator that their calls, one of which is
/// call `number` of `parent`, have just made. Collective over it.
std::uint64_t id_of_both_sides(const Circle& parent, std::uint64_t number, MPI_Comm comm);
/// The circle that call `number` of `parent` has made; null where it is not followed.
/// `agreed_id`: 0 where the call says enough.
Circle* comm_circle(const Circle& parent, std::uint64_t number, MPI_Comm comm, const Told& maker,
                    std::uint64_t agreed_id);
Circle* object_circle(const Circle& parent, std::uint64_t number, const Told& maker);
/// A communicator that cannot be asked yet: its members are the parent's.
Circle* twin_circle(const Circle& parent, std::uint64_t number, MPI_Comm comm, const Told& maker);

}  // namespace lapwing::sets
