// SPDX-License-Identifier: Apache-2.0
// The pieces of a stream as MPI's own datatypes: the direct strategy, in which the
// transport gathers and scatters.
#pragma once

#include <mpi.h>

#include <vector>

#include "arrays/transfers/exchange.hpp"

namespace lapwing::arrays {

/// Whether a datatype can carry the piece, and is small enough to.
bool fits_datatype(const Piece& piece);

/// Committed, and to be used with MPI_BOTTOM. Its bytes are in the wire's order.
MPI_Datatype make_datatype(const std::vector<Part>& parts);

}  // namespace lapwing::arrays
