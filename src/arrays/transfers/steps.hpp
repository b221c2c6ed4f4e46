// SPDX-License-Identifier: Apache-2.0
// The times of the six steps of HPF/MPI 2.1, for a benchmark that asks for them.
#pragma once

#include <cstdint>

#include "progress/clock.hpp"

namespace lapwing::arrays {

struct StepTimes {
  bool on = false;
  std::uint64_t transfers = 0, inquiry = 0, call = 0, exchange = 0, schedule = 0, packing = 0,
                transmission = 0;
  std::uint64_t messages = 0, bytes = 0;

  /// 0 where the program does not ask.
  std::uint64_t now() const { return on ? progress::now_ns() : 0; }
  /// Adds the time since `begin`, if it was taken, and returns the present.
  std::uint64_t add(std::uint64_t StepTimes::*step, std::uint64_t begin) {
    const std::uint64_t time = now();
    if (on && begin) this->*step += time - begin;
    return time;
  }
  void sent(std::uint64_t count) {
    if (!on) return;
    ++messages;
    bytes += count;
  }
};

}  // namespace lapwing::arrays
