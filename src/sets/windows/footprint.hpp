// SPDX-License-Identifier: Apache-2.0
// The bytes that elements of a datatype touch.
#pragma once

#include <mpi.h>

#include <vector>

#include "sets/windows/access.hpp"

namespace lapwing::sets {

/// From the address of the first element, ascending. Empty where there is nothing, and where the elements
/// spread over so much memory that they are not looked at; `*known` tells the two apart.
std::vector<ByteRange> footprint(MPI_Count count, MPI_Datatype type, bool* known);

}  // namespace lapwing::sets
