// SPDX-License-Identifier: Apache-2.0
// MPICH: what its handles reveal without a call.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace lapwing::mpi {

inline constexpr const char* flavour_name = "mpich";

/// Upper bound of the bytes of one element, or 0 where only a call can tell.
/// A built-in datatype's handle holds its size in the second byte.
inline std::size_t quick_type_size(MPI_Datatype type) {
  const auto handle = static_cast<unsigned>(type);
  return (handle & 0xff000000u) == 0x4c000000u ? (handle >> 8) & 0xffu : 0;
}

/// Whether MPI_Sendrecv_replace sets the error of its status, too.
inline constexpr bool replace_clears_error = true;

/// MPI_Waitall, however it has to be called.
inline int wait_all(int count, MPI_Request requests[], MPI_Status statuses[]) {
  return PMPI_Waitall(count, requests, statuses);
}

}  // namespace lapwing::mpi
