// SPDX-License-Identifier: Apache-2.0
#include "transfer/collectives/call_times.hpp"

#include <algorithm>

namespace lapwing::transfer {

void CallTimes::begin(const void* site, std::size_t bytes, std::uint64_t now) {
  ++calls_;
  call(0) = {site, bytes, now, 0};
}

bool CallTimes::repeats(std::size_t period) const {
  const std::size_t compared = std::max<std::size_t>(period, 2);
  if (calls_ < compared + period || compared + period > noted) return false;
  for (std::size_t ago = 0; ago < compared; ++ago) {
    const Call &now = call(ago), &then = call(ago + period);
    // Sizes that differ a little, as those of keys in buckets do, are one pattern.
    if (now.site != then.site || 2 * now.bytes > 3 * then.bytes || 2 * then.bytes > 3 * now.bytes)
      return false;
  }
  return true;
}

std::size_t CallTimes::period() const {
  for (std::size_t period = 1; period <= longest; ++period) {
    if (repeats(period)) return period;
  }
  return 0;
}

std::size_t CallTimes::whole_iterations(std::size_t period) const {
  if (period == 0) return 0;
  // The iteration that ends now began a period ago; the first call behind a change begins one.
  const std::size_t behind = calls_ - changed_;
  return behind == 0 ? 0 : std::min(most, (behind - 1) / period);
}

std::uint64_t CallTimes::iteration(std::size_t period, std::size_t count) const {
  if (count == 0 || whole_iterations(period) < count) return 0;
  std::array<std::uint64_t, most> times{};
  for (std::size_t i = 0; i < count; ++i) times[i] = call(i * period).begun - call((i + 1) * period).begun;
  std::sort(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(count));
  return times[count / 2];
}

double CallTimes::share(std::size_t period) const {
  const std::size_t count = whole_iterations(period);
  if (count == 0) return 0;
  std::uint64_t saved = 0;
  for (std::size_t ago = 1; ago <= count * period; ++ago) saved += call(ago).saved;
  const std::uint64_t time = call(0).begun - call(count * period).begun;
  return time > 0 ? std::min(1.0, static_cast<double>(saved) / static_cast<double>(time)) : 0;
}

}  // namespace lapwing::transfer
