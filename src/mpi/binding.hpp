// SPDX-License-Identifier: Apache-2.0
// The MPI that the program has loaded: where Lapwing's own calls go.
//
// Lapwing is linked with no MPI. Every PMPI_ function that it calls is a stub of its own
// (calls.S, written by src/calls/generate.py), which goes to the function of that name in
// the one library of this family that the process has, wherever it lies and in whatever
// scope. Functions that this library lacks are absent: `has` tells.
#pragma once

#include <mpi.h>

#include "flavour.hpp"

namespace lapwing::mpi {

/// The path of the program's MPI library; "" while it has none of this family.
const char* library_path();

bool has(const char* function);

/// A function as the program finds it: from a tool that stands before the MPI, the MPI itself, or a library
/// that the MPI is linked with. Null where there is none.
void* function(const char* name);

/// Whether counts of more than an int can hold are understood (MPI 4).
bool large_counts();

/// A variable of the MPI library or of its Fortran part, where the program sees it too;
/// null where there is none.
void* variable(const char* name);

/// Finds every function that Lapwing may call, once the MPI is initialised. Later, on a helper thread, a look
/// for one could meet a lock of the loader's that is held by a thread which waits for the helper: the
/// constructor of a library that reads bytes which have not landed.
void bind_calls();

/// Whether the library keeps what its family promises, found by asking it about itself
/// and, after PMPI_Init, by a message to this process and its status, on `self`, which holds this process
/// alone. Otherwise `why` says what is different.
bool is_as_expected(const char** why, MPI_Comm self = MPI_COMM_SELF);

}  // namespace lapwing::mpi
