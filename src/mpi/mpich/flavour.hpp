// SPDX-License-Identifier: Apache-2.0
// MPICH: what its handles reveal without a call.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "mpi/mpich/behaviour.hpp"

namespace lapwing::mpi {

inline constexpr const char* flavour_name = "mpich";

/// Upper bound of the bytes of one element, or 0 where only a call can tell.
/// A built-in datatype's handle holds its size in the second byte.
inline std::size_t quick_type_size(MPI_Datatype type) {
  const auto handle = static_cast<unsigned>(type);
  return (handle & 0xff000000u) == 0x4c000000u ? (handle >> 8) & 0xffu : 0;
}

}  // namespace lapwing::mpi
