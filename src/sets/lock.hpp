// SPDX-License-Identifier: Apache-2.0
// The room's lock: a thread may take it again. Held for a step of MPI's at most, so
// whoever finds it taken looks again, and lets others run meanwhile. A split takes it
// three times, from cold caches as a rule: hence no call, and one cache line.
#pragma once

#include <sched.h>
#include <time.h>

#include <atomic>

namespace lapwing::sets {

class Lock {
 public:
  void lock() {
    const void* me = __builtin_thread_pointer();
    if (owner_.load(std::memory_order_relaxed) == me) {
      ++depth_;
      return;
    }
    if (taken_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      wait();
    owner_.store(me, std::memory_order_relaxed);
  }
  bool try_lock() {
    const void* me = __builtin_thread_pointer();
    if (owner_.load(std::memory_order_relaxed) == me) {
      ++depth_;
      return true;
    }
    if (taken_.load(std::memory_order_relaxed) || taken_.exchange(true, std::memory_order_acquire))
      return false;
    owner_.store(me, std::memory_order_relaxed);
    return true;
  }
  void unlock() {
    if (depth_ > 0) {
      --depth_;
      return;
    }
    owner_.store(nullptr, std::memory_order_relaxed);
    taken_.store(false, std::memory_order_release);
  }

 private:
  [[gnu::cold, gnu::noinline]] void wait() {
    for (unsigned round = 0;; ++round) {
      if (!taken_.load(std::memory_order_relaxed) && !taken_.exchange(true, std::memory_order_acquire))
        return;
      if (round < 64) {
        __builtin_ia32_pause();
      } else if (round < 4096) {
        sched_yield();
      } else {
        const timespec pause{0, 50'000};
        nanosleep(&pause, nullptr);
      }
    }
  }

  std::atomic<const void*> owner_{nullptr};
  unsigned depth_ = 0;  // beyond the first time
  std::atomic<bool> taken_{false};
};

}  // namespace lapwing::sets
