// SPDX-License-Identifier: Apache-2.0
// The one thread of this process that looks at what is in flight while the
// program computes. A part that wants to be looked at is a Polled; while none is
// started there is no thread.
//
// A look never waits for anything that a thread at a closed page may hold: the
// same thread serves closed pages.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

namespace lapwing::progress {

class Polled {
 public:
  static constexpr std::int64_t until_woken = -1;

  Polled() = default;
  Polled(const Polled&) = delete;
  Polled& operator=(const Polled&) = delete;

  /// The helper looks at it from here on, first at once. A `descriptor` that can be read ends the helper's
  /// sleep. False where there can be no thread.
  bool start(int descriptor = -1);
  /// The helper is in no function of it any more when this returns. Not under a lock that a look waits for.
  void stop();
  /// At an exit that may come from inside MPI, for which the helper may be waiting: waits no longer than
  /// `patience` nanoseconds, and not at all in a child of the process that started it.
  void abandon(std::uint64_t patience);

  // By any thread, and by handlers of signals. The caller has published what is to be seen by an atomic
  // read-modify-write, or under a lock that look() takes. A look that goes on and finds anything to wait for
  // has seen it, or does next time.

  /// Ends a pause of any length.
  void wake() { wake_within(0); }
  /// Ends a pause that only a wake-up ends.
  void wake_if_idle() {
    Slot* const slot = slot_.load(std::memory_order_acquire);
    if (!slot) return;
    const std::uint64_t due = slot->due.load();
    if (due == never || due == looking) wake_up(*slot);
  }
  /// Ends a pause that is longer than so many nanoseconds from now.
  void wake_within(std::uint64_t soon);

 protected:
  ~Polled();

 private:
  friend struct Helper;
  /// Values of `due`; all others are moments.
  static constexpr std::uint64_t woken = 0, looking = 1, woken_meanwhile = 2, never = UINT64_MAX;
  struct alignas(64) Slot {
    std::atomic<Polled*> polled{nullptr};
    std::atomic<std::uint64_t> due{never};
    std::atomic<int> descriptor{-1};
    bool begun = false;  ///< the helper's
    bool taken = false;  ///< under the lock of those who start and stop
  };

  /// On the helper's thread, as are the other two: before the first look.
  virtual void begin() {}
  /// How many nanoseconds to leave it alone; 0: to be looked at again at once. `woken`: by wake-up or
  /// descriptor.
  virtual std::int64_t look(bool woken) = 0;
  /// The descriptor can be read.
  virtual void serve() {}

  static void wake_up(Slot& slot);
  void leave(std::uint64_t patience, bool exits);

  std::atomic<Slot*> slot_{nullptr};
};

/// From here on the helper thread runs on these processors only, where the system lets it.
void place_helper(const cpu_set_t& processors);

}  // namespace lapwing::progress
