// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "overlap_options.hpp"
#include "overlap_runner.hpp"

namespace lapwing::bench {

/// One configuration's rounds; the variants' i-th samples belong together.
struct OverlapResult {
  Case kind;
  std::size_t bytes;
  double ratio;
  HandPlan plan;
  std::size_t first_strip;
  std::vector<Sample> plain, control, hand, lapwing;
  std::vector<double> first_s;  ///< transfer of the first strip alone
  bool verified = false;
};

/// Prints the configuration's line of JSON.
void print_result(const OverlapResult& result, const OverlapOptions& options, const LapwingSwitch& lapwing);

}  // namespace lapwing::bench
