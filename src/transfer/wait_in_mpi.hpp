// SPDX-License-Identifier: Apache-2.0
// Waiting inside MPI, as the program would without Lapwing.
//
// Where nothing is in flight and no partner strips (Engine::at_rest), a wait for a
// receive that the engine knows of is MPI's own call: the engine only looks at what came.
#pragma once

#include <mpi.h>

#include "transfer/batch.hpp"

namespace lapwing::transfer {

/// False, and nothing is done, where the engine has to drive the wait. Takes the engine's
/// lock. `rc` is what MPI_Wait or MPI_Waitall is to return, or their kin.
bool wait_in_mpi(Engine& engine, Batch& batch, MPI_Request* request, MPI_Status* status, const Caller& caller,
                 int* rc);
bool wait_for_all_in_mpi(Engine& engine, Batch& batch, MPI_Request* requests, MPI_Status* statuses,
                         const Caller& caller, int* rc);
bool wait_for_any_in_mpi(Engine& engine, Batch& batch, MPI_Request* requests, int* index, MPI_Status* status,
                         const Caller& caller, int* rc);
bool wait_for_some_in_mpi(Engine& engine, Batch& batch, MPI_Request* requests, int* done, int* indices,
                          MPI_Status* statuses, const Caller& caller, int* rc);

}  // namespace lapwing::transfer
