// SPDX-License-Identifier: Apache-2.0
// A lock of one byte for sections of a few instructions.
#pragma once

#include <sched.h>

#include <atomic>

namespace lapwing::tasks {

inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

class SpinLock {
 public:
  void lock() {
    for (int round = 0; taken_.exchange(true, std::memory_order_acquire); ++round) {
      // The thread that holds it may have lost its core.
      for (int spin = 0; taken_.load(std::memory_order_relaxed) && spin < 100; ++spin) pause_briefly();
      if (round > 10) sched_yield();
    }
  }
  void unlock() { taken_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace lapwing::tasks
