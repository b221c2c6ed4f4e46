// SPDX-License-Identifier: Apache-2.0
// The buffers of a collective call, as its arguments name them.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace lapwing::transfer {

/// One side of a call: one block, or one for each process.
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
  MPI_Count place(int process) const {
    return places ? places[process] : large_places ? large_places[process] : process * each;
  }
};

/// The arguments of a call. Where a side means nothing at this process it may hold anything.
struct CollectiveArguments {
  Blocks out, in;
  int root = 0;  ///< of the kinds that have one
};

/// Elements that one message takes along.
struct Block {
  char* buffer = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::size_t bytes = 0;
};

}  // namespace lapwing::transfer
