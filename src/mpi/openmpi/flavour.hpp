// SPDX-License-Identifier: Apache-2.0
// Open MPI: what its handles reveal without a call.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

namespace lapwing::mpi {

inline constexpr const char* flavour_name = "openmpi";

/// Addresses between which the library keeps its predefined datatypes.
extern std::uintptr_t predefined_from, predefined_to;

/// Upper bound of the bytes of one element, or 0 where only a call can tell.
/// No predefined datatype is larger than a complex of two 16 byte parts.
inline std::size_t quick_type_size(MPI_Datatype type) {
  const auto address = reinterpret_cast<std::uintptr_t>(type);
  return address >= predefined_from && address < predefined_to ? 32 : 0;
}

/// Whether MPI_Sendrecv_replace sets the error of its status, too.
inline constexpr bool replace_clears_error = false;

/// Whether a receive from the process itself writes on behind a buffer that is too small.
inline constexpr bool truncation_overflows = true;

/// MPI_Waitall, however it has to be called: at MPI_THREAD_MULTIPLE, which the
/// engine asks for, Open MPI 4.1 never returns from it where one of the requests
/// has failed already.
inline int wait_all(int count, MPI_Request requests[], MPI_Status statuses[]) {
  static const bool at_once = [] {
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    return level != MPI_THREAD_MULTIPLE;
  }();
  if (at_once || count <= 0 || !requests) return PMPI_Waitall(count, requests, statuses);
  for (;;) {
    int done = 0;
    const int rc = PMPI_Testall(count, requests, &done, statuses);
    if (done || rc != MPI_SUCCESS) return rc;
  }
}

/// Whether an error of a request on `comm` is raised as by a blocking call, and
/// looking at the request raises none.
inline bool raises_in_place(MPI_Comm) { return true; }

/// Whether an error of a wait is raised in the handler of MPI_COMM_WORLD,
/// whatever communicator the request is on.
inline constexpr bool waits_raise_in_world = false;

/// Whether an error of a call on `comm`, or of the wait for it, ends the job: who
/// returns has had none.
inline bool errors_are_fatal(MPI_Comm comm) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (comm == MPI_COMM_NULL || PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return false;
  const bool fatal = handler == MPI_ERRORS_ARE_FATAL;
  PMPI_Errhandler_free(&handler);
  return fatal;
}

/// MPI_Wait whose error is raised in the handler of `comm`.
inline int wait_raising_in(MPI_Comm, MPI_Request* request, MPI_Status* status) {
  return PMPI_Wait(request, status);
}

}  // namespace lapwing::mpi
