// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "overlap.hpp"

namespace lapwing::bench {

struct OverlapOptions {
  std::vector<Case> cases{Case::scan_up, Case::scan_down, Case::copy, Case::independent};
  std::vector<std::size_t> sizes;  ///< bytes, multiples of 4096
  std::vector<double> ratios{0.5, 1, 2};
  std::string transport = "local";  ///< a name for the report
  int pairs = 30;                   ///< rounds of all variants per configuration
  double budget_s = 0;              ///< for everything together; 0: no limit
  double round_limit_s = 1;         ///< configurations with longer rounds get fewer of them
  std::size_t first_strip = 64 * 1024;
  int defer_mode = LAPWING_DEFER_ON;
  bool hand = true;
  bool thorough = true;  ///< false: what matters most, with less repetition
};

/// Throws BadOption.
OverlapOptions parse_overlap_options(int argc, char** argv);
const char* overlap_usage();
const char* name_of(Case c);

}  // namespace lapwing::bench
