// SPDX-License-Identifier: Apache-2.0
// Exchanges of which the receiving half is from nobody.
#pragma once

#include <mpi.h>

namespace lapwing::transfer {

/// To be called for MPI_Sendrecv and MPI_Sendrecv_replace from MPI_PROC_NULL where
/// their halves go separately. MPICH has one request for all receives from nobody;
/// the status that MPI_Wait finds there is zeroes until a send-receive, and no other
/// call, has written it. Communicates with nobody.
inline void mark_exchange_with_nobody(MPI_Comm comm) {
  PMPI_Sendrecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm,
                MPI_STATUS_IGNORE);
}

}  // namespace lapwing::transfer
