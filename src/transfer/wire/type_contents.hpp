// SPDX-License-Identifier: Apache-2.0
// How a datatype was made. MPI_Type_get_envelope is an error for a type that was made
// with large counts (MPI_Type_vector_c), so MPI is asked by the form that knows both.
#pragma once

#include <mpi.h>

#include <vector>

namespace lapwing::transfer {

struct Envelope {
  MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
  int combiner = MPI_COMBINER_NAMED;
};

/// False where MPI does not say.
bool read_envelope(MPI_Datatype type, Envelope* envelope);

struct TypeContents {
  /// Counts and lengths in the order of the plain constructor's integers, whatever it was made with.
  std::vector<MPI_Count> numbers;
  /// The plain constructor's distances in bytes; empty where they stand among the numbers.
  std::vector<MPI_Aint> addresses;
  /// Those that are not predefined are the caller's to free.
  std::vector<MPI_Datatype> types;
};
bool read_contents(MPI_Datatype type, const Envelope& envelope, TypeContents* contents);

}  // namespace lapwing::transfer
