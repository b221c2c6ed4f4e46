// SPDX-License-Identifier: Apache-2.0
// Distributions from ScaLAPACK's array descriptors (dense matrices, DTYPE 1).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "arrays/schedules/distribution.hpp"

namespace lapwing::arrays {

struct Imported {
  std::optional<Distribution> distribution;
  std::string problem;  ///< why there is none
};

/// The nine integers DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD of one process,
/// over a grid as blacs_gridinit or blacs_gridmap made it: two extents. The
/// context is not looked at: the grid says which ranks. LLD becomes the leading
/// dimension of this process alone.
Imported import_scalapack(const std::array<std::int64_t, 9>& descriptor, ElementType type,
                          const ProcessGrid& grid);

}  // namespace lapwing::arrays
