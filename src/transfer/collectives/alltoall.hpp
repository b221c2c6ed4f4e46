// SPDX-License-Identifier: Apache-2.0
// MPI_Alltoall and MPI_Alltoallv as a program means them, over the engine.
#pragma once

#include <mpi.h>

#include "transfer/collectives/members.hpp"
#include "transfer/operations.hpp"

namespace lapwing::transfer {

/// One side of an exchange between all: a block for each process.
struct Blocks {
  const void* buffer;
  MPI_Datatype type;
  MPI_Count each = 0;  ///< elements in a block, where all are alike
  // Else, and of one of the two kinds only: elements of each, and where they begin.
  const int* counts = nullptr;
  const int* places = nullptr;
  const MPI_Count* large_counts = nullptr;
  const MPI_Aint* large_places = nullptr;

  bool uneven() const { return counts || large_counts; }
  MPI_Count count(int process) const {
    return counts ? counts[process] : large_counts ? large_counts[process] : each;
  }
};

/// `out` leaves, `in` comes; `plain` makes the program's own call.
int exchange_all(Collective kind, const Blocks& out, const Blocks& in, MPI_Comm comm, Caller caller,
                 Plain plain);

}  // namespace lapwing::transfer
