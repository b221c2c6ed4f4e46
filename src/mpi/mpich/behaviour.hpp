// SPDX-License-Identifier: Apache-2.0
// How MPICH and its kin behave, whether a program speaks to them by their own ABI or by the standard one.
#pragma once

#include <mpi.h>

namespace lapwing::mpi {

/// Whether MPI_Sendrecv_replace sets the error of its status, too.
inline constexpr bool replace_clears_error = true;

/// Whether a receive from the process itself writes on behind a buffer that is too small.
inline constexpr bool truncation_overflows = false;

/// MPI_Waitall, however it has to be called.
inline int wait_all(int count, MPI_Request requests[], MPI_Status statuses[]) {
  return PMPI_Waitall(count, requests, statuses);
}

namespace detail {
inline MPI_Errhandler predefined_handler(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(comm, &handler);
  if (handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_RETURN) return handler;
  if (handler != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&handler);
  return MPI_ERRHANDLER_NULL;
}
}  // namespace detail

/// Whether an error of a request on `comm` is raised as by a blocking call, and
/// calls no function of the program's. MPICH raises errors of waits, and of mere
/// looks at requests, in the handler of MPI_COMM_WORLD.
inline bool raises_in_place(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return true;
  const MPI_Errhandler handler = detail::predefined_handler(comm);
  return handler != MPI_ERRHANDLER_NULL &&
         (comm == MPI_COMM_WORLD || handler == detail::predefined_handler(MPI_COMM_WORLD));
}

/// Whether an error of a wait is raised in the handler of MPI_COMM_WORLD,
/// whatever communicator the request is on.
inline constexpr bool waits_raise_in_world = true;

/// Whether an error of a call on `comm`, or of the wait for it, ends the job: who
/// returns has had none.
inline bool errors_are_fatal(MPI_Comm comm) {
  return comm != MPI_COMM_NULL && detail::predefined_handler(comm) == MPI_ERRORS_ARE_FATAL &&
         (comm == MPI_COMM_WORLD || detail::predefined_handler(MPI_COMM_WORLD) == MPI_ERRORS_ARE_FATAL);
}

/// MPI_Wait whose error is raised in the handler of `comm`.
inline int wait_raising_in(MPI_Comm comm, MPI_Request* request, MPI_Status* status) {
  MPI_Errhandler world;
  PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &world);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int rc = PMPI_Wait(request, status);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, world);
  if (world != MPI_ERRORS_ARE_FATAL && world != MPI_ERRORS_RETURN) PMPI_Errhandler_free(&world);
  if (rc != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, rc);
  return rc;
}

}  // namespace lapwing::mpi
