// SPDX-License-Identifier: Apache-2.0
// The family that this code is compiled for, and those of its handles that are objects
// inside the MPI library.
#pragma once

#include "lapwing/loaded_mpi.hpp"

namespace lapwing::mpi {

/// Of the libraries that this code serves.
extern const Family family;

/// The names under which programs load them; ends with a null.
extern const char* const sonames[];

/// Finds them in the library `mpi`. Families whose handles are numbers have none.
void bind_handles(void* mpi, Lookup* lookup);

/// After PMPI_Init or before: whether the library behaves as those with which the family's code was tried.
bool is_tried_member();

}  // namespace lapwing::mpi
