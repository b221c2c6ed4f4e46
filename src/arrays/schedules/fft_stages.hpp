// SPDX-License-Identifier: Apache-2.0
// How a distributed array lies while the dimensions of its Fourier transform are transformed: each where it
// is whole.
#pragma once

#include <cstdint>
#include <vector>

#include "arrays/schedules/distribution.hpp"

namespace lapwing::arrays {

struct FftStage {
  std::vector<int> divided;      ///< dimensions, ascending, that are divided among the processes
  std::vector<int> transformed;  ///< in this stage
};

/// One dimension is divided among all processes where it is long enough (slabs), else two are (pencils).
/// `axes`: to be transformed, different ones. Each is in one stage.
std::vector<FftStage> fft_stages(const std::vector<std::int64_t>& shape, const std::vector<int>& axes,
                                 int processes);

/// The array in a stage: in row-major order, without ghosts. `grid` has an extent for each divided dimension.
Distribution fft_array(const FftStage& stage, const std::vector<std::int64_t>& shape, ElementType type,
                       const std::vector<int>& grid);

}  // namespace lapwing::arrays
