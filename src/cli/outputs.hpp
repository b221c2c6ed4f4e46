// SPDX-License-Identifier: Apache-2.0
// Are the outputs of runs without and with Lapwing equal?
//
// Ranks print in any order, and many programs print times, dates, addresses, host
// names and how often they got somewhere. So there are degrees, and the one that
// was found is said: equal byte for byte; equal lines in another order; equal but
// for what differs between runs without Lapwing as well: numbers at the same place
// of the same line, words likewise, and how many lines of one form there are.
#pragma once

#include <string>
#include <vector>

namespace lapwing::cli {

enum class Sameness { bitwise, reordered, varying, different };

struct Verdict {
  Sameness sameness = Sameness::bitwise;
  std::size_t varying = 0;           ///< lines that vary without Lapwing too
  std::string example;               ///< one of those
  std::vector<std::string> missing;  ///< lines that only the plain run has
  std::vector<std::string> added;    ///< lines that only the run with Lapwing has
};

/// `off` and `on` are the outputs of the runs; lines that match one of the
/// expressions in `ignored` count for nothing.
Verdict compare_outputs(const std::vector<std::string>& off, const std::vector<std::string>& on,
                        const std::vector<std::string>& ignored);

/// At most `limit` lines of what differs, as a diff shows it.
std::string short_diff(const Verdict& verdict, std::size_t limit);

}  // namespace lapwing::cli
