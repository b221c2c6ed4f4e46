// SPDX-License-Identifier: Apache-2.0
// The non-blocking form of a point-to-point call of the program's: who waits for
// it can do something else meanwhile.
#pragma once

#include <mpi.h>

#include "transfer/requests.hpp"

namespace lapwing::sets {

/// In the mode, and with the count, that the program asked for; its errors are the program's.
int post(const transfer::SendArguments& a, MPI_Request* request);
int post(const transfer::ReceiveArguments& a, MPI_Request* request);

}  // namespace lapwing::sets
