// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a message lie: blocks that follow each other at even distances, as a column, a face or a
// part of an array do that a datatype describes.
#pragma once

#include <mpi.h>

#include "transfer/compiled/interior_range.hpp"

namespace lapwing::transfer {

/// All memory of `count` elements of `type` from `buffer` on, and more of it where that is not known: then
/// what lies between the first byte and the last belongs to it. `by` means nothing. Calls MPI, and does not
/// communicate.
AffineAccess layout_of(const void* buffer, MPI_Count count, MPI_Datatype type);

}  // namespace lapwing::transfer
