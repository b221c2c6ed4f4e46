// SPDX-License-Identifier: Apache-2.0
// The pieces of a stream as MPI's own datatypes: the direct strategy, in which the
// transport gathers and scatters.
#pragma once

#include <mpi.h>

#include <vector>

#include "arrays/transfers/exchange.hpp"

namespace lapwing::arrays {

/// Committed, and to be used with MPI_BOTTOM. Its bytes are in the wire's order.
MPI_Datatype make_datatype(const std::vector<Part>& parts);

}  // namespace lapwing::arrays
