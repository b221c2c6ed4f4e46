// SPDX-License-Identifier: Apache-2.0
// Memory that processes of one node share.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace lapwing::mpi {

/// `memory` is null where this process cannot share. Both are the caller's, to
/// unmap and to close.
struct NodeMemory {
  void* memory = nullptr;
  int file = -1;  ///< the same file for all
};

/// Zeroed bytes, the same ones for all of `near`, who must be of one node. Collective;
/// some may get it and others not. Nothing has a name, nothing is left behind.
NodeMemory share_memory(MPI_Comm near, std::size_t bytes);

}  // namespace lapwing::mpi
