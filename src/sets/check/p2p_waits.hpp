// SPDX-License-Identifier: Apache-2.0
// Waits of one's own calls and of requests.
#pragma once

#include <mpi.h>

#include "sets/check/pending.hpp"
#include "sets/report/report.hpp"

namespace lapwing::sets {

/// Waits for a request that the program never sees.
int wait_for(MPI_Request request, const Pending& pending, MPI_Status* status, MPI_Comm comm);

/// A matched probe has taken a message.
void count_taken(Circle& circle, int peer, int tag);
/// The call as the first with its type.
Contents::Part part_of(const Pending& pending);

Told told_of(const Pending& pending);
Told told_of(const char* name, const void* returns_to);

}  // namespace lapwing::sets
