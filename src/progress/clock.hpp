// SPDX-License-Identifier: Apache-2.0
// The one clock of the house.
#pragma once

#include <cstdint>
#include <ctime>

namespace lapwing::progress {

/// Nanoseconds since some moment, the same one for all processes of a node. Async-signal-safe.
inline std::uint64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

inline double seconds_since(std::uint64_t begin) { return 1e-9 * static_cast<double>(now_ns() - begin); }

inline timespec timespec_of(std::int64_t nanoseconds) {
  return {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
}

}  // namespace lapwing::progress
