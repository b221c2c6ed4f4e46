// SPDX-License-Identifier: Apache-2.0
#include "report/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace lapwing::report {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Interval median_interval(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  // The median lies below the k-th smallest value if fewer than k of n fair
  // coins show heads.
  const double log_two = std::log(2.0);
  double tail = 0;
  Interval best{values.front(), values.back(),
                n < 2 ? 0 : 1 - 2 * std::exp(-static_cast<double>(n) * log_two)};
  for (std::size_t k = 0; 2 * (k + 1) <= n; ++k) {
    const double count = static_cast<double>(n), heads = static_cast<double>(k);
    tail += std::exp(std::lgamma(count + 1) - std::lgamma(heads + 1) - std::lgamma(count - heads + 1) -
                     count * log_two);
    if (1 - 2 * tail < 0.95) break;
    best = {values[k], values[n - 1 - k], 1 - 2 * tail};
  }
  return best;
}

}  // namespace lapwing::report
