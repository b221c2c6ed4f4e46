// SPDX-License-Identifier: Apache-2.0
// Locks that clang's analysis of thread safety knows (-Wthread-safety, as `make
// tidy` reads sources), and the words in which a class says what its lock guards.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cassert>
#include <mutex>

#include "progress/waiting.hpp"

#ifdef __clang__
#define LAPWING_ANALYSIS(x) __attribute__((x))
#else
#define LAPWING_ANALYSIS(x)
#endif
/// A variable that only the owner of `mutex` may touch.
#define LAPWING_GUARDED_BY(mutex) LAPWING_ANALYSIS(guarded_by(mutex))
/// A function that only the owner of `mutex` may call.
#define LAPWING_REQUIRES(mutex) LAPWING_ANALYSIS(requires_capability(mutex))

namespace lapwing::progress {

/// One byte, for a few instructions at a time. Never held across a call of MPI's.
class LAPWING_ANALYSIS(capability("mutex")) SpinLock {
 public:
  void lock() LAPWING_ANALYSIS(acquire_capability()) {
    if (taken_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      wait();
  }
  bool try_lock() LAPWING_ANALYSIS(try_acquire_capability(true)) {
    return !taken_.load(std::memory_order_relaxed) && !taken_.exchange(true, std::memory_order_acquire);
  }
  void unlock() LAPWING_ANALYSIS(release_capability()) { taken_.store(false, std::memory_order_release); }
  /// For a function that is called under the lock.
  void assert_held() const LAPWING_ANALYSIS(assert_capability(this)) {
    assert(taken_.load(std::memory_order_relaxed));
  }

 private:
  [[gnu::cold, gnu::noinline]] void wait() LAPWING_ANALYSIS(no_thread_safety_analysis) {
    wait_until([this] { return try_lock(); });
  }

  std::atomic<bool> taken_{false};
};

/// A mutex of the standard library that knows its owner in builds with assertions.
template <typename Mutex>
class LAPWING_ANALYSIS(capability("mutex")) Owned {
 public:
  void lock() LAPWING_ANALYSIS(acquire_capability()) {
    mutex_.lock();
    note_owner();
  }
  bool try_lock() LAPWING_ANALYSIS(try_acquire_capability(true)) {
    if (!mutex_.try_lock()) return false;
    note_owner();
    return true;
  }
  void unlock() LAPWING_ANALYSIS(release_capability()) {
    forget_owner();
    mutex_.unlock();
  }

  /// For a function that is called under the lock: aborts, in builds with
  /// assertions, if the calling thread does not hold it.
  void assert_held() const LAPWING_ANALYSIS(assert_capability(this)) { assert(held()); }

 private:
#ifdef NDEBUG
  void note_owner() {}
  void forget_owner() {}
#else
  bool held() const { return owner_.load() == pthread_self(); }
  void note_owner() {
    if (depth_++ == 0) owner_.store(pthread_self());
  }
  void forget_owner() {
    if (--depth_ == 0) owner_.store(0);
  }
  std::atomic<pthread_t> owner_{0};
  int depth_ = 0;
#endif
  Mutex mutex_;
};
using OwnedMutex = Owned<std::mutex>;
/// The thread that holds it may take it again.
using OwnedRecursiveMutex = Owned<std::recursive_mutex>;

/// As std::lock_guard, which the analysis does not know.
template <typename Mutex>
class LAPWING_ANALYSIS(scoped_lockable) Holding {
 public:
  explicit Holding(Mutex& mutex) LAPWING_ANALYSIS(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_.lock();
  }
  ~Holding() LAPWING_ANALYSIS(release_capability()) { mutex_.unlock(); }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace lapwing::progress
