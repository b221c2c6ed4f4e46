// SPDX-License-Identifier: Apache-2.0
// Medians and their 95 % intervals, by resampling whole rounds: what was
// measured together is resampled together.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace lapwing::bench {

/// The middle value; the mean of the two middle ones for an even count; NaN for none.
double median(std::vector<double> values);

struct Interval {
  double value = 0;
  double lo = 0;
  double hi = 0;
};

/// Applies `statistic` to the rounds 0..rounds-1 and to 2000 resamples of them
/// (the same ones in each call). Resamples that give NaN are left out.
Interval bootstrap(std::size_t rounds,
                   const std::function<double(const std::vector<std::size_t>&)>& statistic);

/// The median of one value a round.
Interval median_interval(const std::vector<double>& values);

/// The median of the ratios numerator[i] / denominator[i].
Interval ratio_interval(const std::vector<double>& numerator, const std::vector<double>& denominator);

/// values at the given indices, in that order.
std::vector<double> picked(const std::vector<double>& values, const std::vector<std::size_t>& indices);

}  // namespace lapwing::bench
