// SPDX-License-Identifier: Apache-2.0
// A collective call as a program means it, over the engine.
#pragma once

#include <mpi.h>

#include "transfer/collectives/blocks.hpp"
#include "transfer/collectives/members.hpp"
#include "transfer/operations.hpp"

namespace lapwing::transfer {

/// Counts the call on its communicator and defers it where all members have agreed to; `plain` makes the
/// program's own call. MPI's error, raised in the communicator.
int call_collective(Collective kind, const CollectiveArguments& a, MPI_Comm comm, Caller caller, Plain plain);

}  // namespace lapwing::transfer
