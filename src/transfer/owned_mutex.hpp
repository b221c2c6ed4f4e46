// SPDX-License-Identifier: Apache-2.0
// A mutex that knows its owner in builds with assertions, and that clang's
// analysis of thread safety knows (-Wthread-safety, as `make tidy` reads sources).
#pragma once

#include <cassert>
#include <mutex>
#ifndef NDEBUG
#include <atomic>
#include <thread>
#endif

#ifdef __clang__
#define LAPWING_ANALYSIS(x) __attribute__((x))
#else
#define LAPWING_ANALYSIS(x)
#endif
/// A variable that only the owner of `mutex` may touch.
#define LAPWING_GUARDED_BY(mutex) LAPWING_ANALYSIS(guarded_by(mutex))
/// A function that only the owner of `mutex` may call.
#define LAPWING_REQUIRES(mutex) LAPWING_ANALYSIS(requires_capability(mutex))

namespace lapwing::transfer {

class LAPWING_ANALYSIS(capability("mutex")) OwnedMutex {
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
  bool held() const { return owner_.load() == std::this_thread::get_id(); }
  void note_owner() { owner_.store(std::this_thread::get_id()); }
  void forget_owner() { owner_.store({}); }
  std::atomic<std::thread::id> owner_;
#endif
  std::mutex mutex_;
};

/// As std::lock_guard, which the analysis does not know.
class LAPWING_ANALYSIS(scoped_lockable) OwnedLock {
 public:
  explicit OwnedLock(OwnedMutex& mutex) LAPWING_ANALYSIS(acquire_capability(mutex)) : mutex_(mutex) {
    mutex_.lock();
  }
  ~OwnedLock() LAPWING_ANALYSIS(release_capability()) { mutex_.unlock(); }
  OwnedLock(const OwnedLock&) = delete;
  OwnedLock& operator=(const OwnedLock&) = delete;

 private:
  OwnedMutex& mutex_;
};

}  // namespace lapwing::transfer
