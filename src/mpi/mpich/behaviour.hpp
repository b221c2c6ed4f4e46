// SPDX-License-Identifier: Apache-2.0
// How MPICH and its kin behave, whether a program speaks to them by their own ABI or by the standard one.
#pragma once

#include <mpi.h>

#include "mpi/raising.hpp"

namespace lapwing::mpi {

/// Whether MPI_Sendrecv_replace sets the error of its status, too.
inline constexpr bool replace_clears_error = true;

/// Whether MPI_Waitall sets the errors of its statuses where all is well; MPI_Testall leaves them alone.
inline constexpr bool wait_all_clears_errors = true;

/// MPI_Testall takes persistent collectives for failed: MPICH 4.0 and Intel MPI 2021 do so.
inline constexpr bool tests_fail_persistent_collectives = true;

/// MPI_Waitall, however it has to be called.
inline int wait_all(int count, MPI_Request requests[], MPI_Status statuses[]) {
  return PMPI_Waitall(count, requests, statuses);
}

/// MPI_COMM_SELF has the handler of MPI_COMM_WORLD until one is set on it, which cannot be undone: MPICH 5
/// then raises errors there that it would have raised in MPI_COMM_WORLD.
inline constexpr bool self_follows_world = true;

/// Known after observe_raising(), which sends messages to this process.
extern Raising raising;
void observe_raising();

/// Gives back what MPI_Comm_get_errhandler gave. Predefined ones are not counted.
inline void release_handler(MPI_Errhandler handler) {
#ifdef MPI_ERRORS_ABORT
  if (handler == MPI_ERRORS_ABORT) return;
#endif
  if (handler != MPI_ERRHANDLER_NULL && handler != MPI_ERRORS_ARE_FATAL && handler != MPI_ERRORS_RETURN)
    PMPI_Errhandler_free(&handler);
}

}  // namespace lapwing::mpi
