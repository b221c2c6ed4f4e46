// SPDX-License-Identifier: Apache-2.0
// The room's lock: a thread may take it again. Held for a step of MPI's at most, so
// a thread that finds it taken looks again, and lets others run meanwhile. A split takes it
// three times, from cold caches as a rule: hence no call, and one cache line.
#pragma once

#include <atomic>

#include "progress/locks.hpp"

namespace lapwing::sets {

class Lock {
 public:
  void lock() {
    const void* me = __builtin_thread_pointer();
    if (owner_.load(std::memory_order_relaxed) == me) {
      ++depth_;
      return;
    }
    lock_.lock();
    owner_.store(me, std::memory_order_relaxed);
  }
  bool try_lock() {
    const void* me = __builtin_thread_pointer();
    if (owner_.load(std::memory_order_relaxed) == me) {
      ++depth_;
      return true;
    }
    if (!lock_.try_lock()) return false;
    owner_.store(me, std::memory_order_relaxed);
    return true;
  }
  void unlock() {
    if (depth_ > 0) {
      --depth_;
      return;
    }
    owner_.store(nullptr, std::memory_order_relaxed);
    lock_.unlock();
  }

 private:
  std::atomic<const void*> owner_{nullptr};
  unsigned depth_ = 0;  // beyond the first time
  progress::SpinLock lock_;
};

}  // namespace lapwing::sets
