// SPDX-License-Identifier: Apache-2.0
// The messages of a deferred collective call.
#pragma once

#include <mpi.h>

#include "transfer/collectives/lowering.hpp"
#include "transfer/requests.hpp"

namespace lapwing::transfer {

class Engine;

/// On the members' own communicator, as one of them. Returns once each message that comes has been
/// matched and each that leaves is guarded, copied or gone (rule 1). MPI's error where one fails, of
/// which no handler has heard: the caller keeps them from hearing (mpi::Unheard).
int exchange(Engine& engine, MPI_Comm wire, int rank, int tag, const Lowering& messages,
             const Caller& caller);

}  // namespace lapwing::transfer
