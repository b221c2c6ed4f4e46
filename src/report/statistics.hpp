// SPDX-License-Identifier: Apache-2.0
// Medians, and how sure one may be of them.
#pragma once

#include <vector>

namespace lapwing::report {

/// Zero for no values.
double median(std::vector<double> values);

/// An interval that holds the median of the distribution with at least the
/// stated confidence, from order statistics: nothing is assumed about its form.
struct Interval {
  double low = 0, high = 0;
  double confidence = 0;  ///< what these two order statistics give, e.g. 0.969
};

/// The narrowest such interval with at least 0.95; with fewer than six values
/// none reaches that, and the whole range is given with what it does reach.
Interval median_interval(std::vector<double> values);

}  // namespace lapwing::report
