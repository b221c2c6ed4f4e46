// SPDX-License-Identifier: Apache-2.0
// Yields of a loop inside MPI that looks for messages.
#pragma once

#include <sched.h>

#include <algorithm>

#include "progress/clock.hpp"
#include "progress/policy.hpp"

namespace lapwing::progress {

/// Where threads outnumber cores, a rank that looks for messages without a rest keeps the rank that is to
/// send them from running until the kernel's time slice ends: some milliseconds a message. So the loop yields
/// its core now and then: often while other threads take it, ever more rarely while a yield returns at once,
/// so that a rank with a core of its own spends less than a thousandth of its waiting there. One object a
/// thread.
class Yields {
 public:
  /// A look has found something. The count starts again.
  void found() { left_ = gap_; }

  void in_vain() {
    if (left_ > 1) {
      --left_;
      return;
    }
    yield();
  }

 private:
  __attribute__((noinline)) void yield() {
    const std::uint64_t begin = now_ns();
    sched_yield();
    const bool alone = now_ns() - begin < yield_alone;
    gap_ = alone ? std::min(2 * gap_, most_looks_before_yield)
                 : std::clamp(gap_ / 2, fewest_looks_before_yield, looks_before_yield);
    left_ = gap_;
  }

  unsigned gap_ = looks_before_yield;   // looks in vain between two yields
  unsigned left_ = looks_before_yield;  // until the next one
};

}  // namespace lapwing::progress
