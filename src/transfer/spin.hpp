// SPDX-License-Identifier: Apache-2.0
// A lock for a few instructions at a time. Never held across a call of MPI's.
#pragma once

#include <sched.h>

#include <atomic>

namespace lapwing::transfer {

class Spin {
 public:
  void lock() {
    for (unsigned round = 0; flag_.test_and_set(std::memory_order_acquire); ++round) {
      if (round < 64)
        __builtin_ia32_pause();
      else
        sched_yield();
    }
  }
  void unlock() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_;
};

}  // namespace lapwing::transfer
