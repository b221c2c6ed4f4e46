// SPDX-License-Identifier: Apache-2.0
// Open MPI: what its handles reveal without a call.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "mpi/raising.hpp"

namespace lapwing::mpi {

inline constexpr const char* flavour_name = "openmpi";

/// Where predefined datatypes may lie, and no other: the data of the library, and the program. The linker
/// moves each one that the program itself names into the program, unless its code is compiled for a shared
/// library. Empty before prepare().
struct Addresses {
  std::uintptr_t from = 0, size = 0;
  bool hold(std::uintptr_t address) const { return address - from < size; }
};
extern Addresses library_data, program;

/// Upper bound of the bytes of one element, or 0 where only a call can tell.
/// No predefined datatype is larger than a complex of two 16 byte parts.
inline std::size_t quick_type_size(MPI_Datatype type) {
  const auto address = reinterpret_cast<std::uintptr_t>(type);
  return library_data.hold(address) || program.hold(address) ? 32 : 0;
}

/// Whether MPI_Sendrecv_replace sets the error of its status, too.
inline constexpr bool replace_clears_error = false;

/// Whether MPI_Waitall, unlike MPI_Testall, sets the errors of its statuses where all is well.
inline constexpr bool wait_all_clears_errors = false;

/// Whether MPI_Testall takes persistent collectives for failed.
inline constexpr bool tests_fail_persistent_collectives = false;

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

/// Whether MPI_COMM_SELF has the handler of MPI_COMM_WORLD until one is set on it.
inline constexpr bool self_follows_world = false;

inline constexpr Raising raising{Hearer::request, Hearer::request, Hearer::nobody, false};
inline void observe_raising() {}

/// Gives back what MPI_Comm_get_errhandler gave.
inline void release_handler(MPI_Errhandler handler) {
  if (handler != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&handler);
}

}  // namespace lapwing::mpi
