// SPDX-License-Identifier: Apache-2.0
// The standard ABI of MPI 5: what its handles reveal without a call. The MPIs that offer it so far, MPICH 5
// and Intel MPI, behave through it as they do through their own ABI; is_tried_member() looks which one it
// is.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "mpi/mpich/behaviour.hpp"

namespace lapwing::mpi {

inline constexpr const char* flavour_name = "abi";

/// Upper bound of the bytes of one element, or 0 where only a call can tell. Predefined datatypes are the
/// numbers 0x200 to 0x3ff. Those of a size that the standard fixes have bit 0x40, and its logarithm in bits 3
/// to 5; of the others, int and its kin (0x20x) have at most 8 bytes, and no type more than a complex of two
/// 16 byte parts.
inline std::size_t quick_type_size(MPI_Datatype type) {
  const auto number = reinterpret_cast<std::uintptr_t>(type);
  if (number - 0x201 >= 0x3ff - 0x201) return 0;
  if (number & 0x40) return std::size_t{1} << (number >> 3 & 7);
  return number < 0x210 || type == MPI_DOUBLE ? 8 : 32;
}

}  // namespace lapwing::mpi
