// SPDX-License-Identifier: Apache-2.0
#include "support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace lapwing::bench {

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  return (*std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle)) + upper) /
         2;
}

std::vector<double> picked(const std::vector<double>& values, const std::vector<std::size_t>& indices) {
  std::vector<double> out;
  out.reserve(indices.size());
  for (std::size_t i : indices) out.push_back(values[i]);
  return out;
}

Interval bootstrap(std::size_t rounds,
                   const std::function<double(const std::vector<std::size_t>&)>& statistic) {
  Interval out;
  if (rounds == 0) {
    out.value = out.lo = out.hi = std::numeric_limits<double>::quiet_NaN();
    return out;
  }
  std::vector<std::size_t> indices(rounds);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  out.value = statistic(indices);

  std::mt19937_64 generator(20);  // a fixed seed: the same measurements give the same interval
  std::uniform_int_distribution<std::size_t> any(0, rounds - 1);
  std::vector<double> resampled;
  for (int i = 0; i < 2000; ++i) {
    for (std::size_t& index : indices) index = any(generator);
    const double value = statistic(indices);
    if (std::isfinite(value)) resampled.push_back(value);
  }
  if (resampled.empty()) {
    out.lo = out.hi = std::numeric_limits<double>::quiet_NaN();
    return out;
  }
  std::sort(resampled.begin(), resampled.end());
  const auto at = [&](double share) {
    return resampled[static_cast<std::size_t>(share * static_cast<double>(resampled.size() - 1))];
  };
  out.lo = at(0.025);
  out.hi = at(0.975);
  return out;
}

Interval median_interval(const std::vector<double>& values) {
  return bootstrap(values.size(), [&](const auto& indices) { return median(picked(values, indices)); });
}

Interval ratio_interval(const std::vector<double>& numerator, const std::vector<double>& denominator) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(numerator.size(), denominator.size()); ++i)
    ratios.push_back(numerator[i] / denominator[i]);
  return median_interval(ratios);
}

}  // namespace lapwing::bench
