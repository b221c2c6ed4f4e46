// SPDX-License-Identifier: Apache-2.0
// Memory that the ranks of a node share, a part of it for each.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace lapwing::tasks::ranks {

struct Neighbours {
  std::vector<char*> parts;  // by rank; null where it is no neighbour. Empty where nothing is shared.
  int count = 1;             // ranks of this node

  bool all() const { return static_cast<std::size_t>(count) == parts.size(); }
};

/// Zeroed, for as long as the process lives; `bytes` each, a multiple of 64. Collective. All ranks of
/// a node share, or none.
Neighbours share_with_neighbours(MPI_Comm comm, std::size_t bytes);

}  // namespace lapwing::tasks::ranks
