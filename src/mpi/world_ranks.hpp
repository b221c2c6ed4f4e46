// SPDX-License-Identifier: Apache-2.0
// The members of a group as ranks in MPI_COMM_WORLD.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <numeric>
#include <vector>

namespace lapwing::mpi {

/// In the order of the group; MPI_UNDEFINED for processes of other jobs. Does not communicate.
inline std::vector<int> world_ranks(MPI_Group group) {
  MPI_Group world = MPI_GROUP_NULL;
  int size = 0;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size)), found(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  PMPI_Group_translate_ranks(group, size, ranks.data(), world, found.data());
  PMPI_Group_free(&world);
  return found;
}

}  // namespace lapwing::mpi
