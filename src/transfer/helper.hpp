// SPDX-License-Identifier: Apache-2.0
// The progress thread: works while something is in flight, sleeps otherwise.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace lapwing::transfer {

class Engine;

/// Work of a few microseconds at a time wants to run when it wakes, not at the
/// end of a computing thread's slice. Kernels before 6.12 ignore the wish.
void ask_for_short_slices();

class Helper {
 public:
  explicit Helper(Engine& engine);
  ~Helper();     ///< ends the thread and waits for it
  void start();  ///< once the guards are ready, whose events it serves

  /// Something has been put in flight, or a page is wanted. Async-signal-safe.
  void wake();
  /// A receive was posted: reason to look at it now and then, not at once.
  void wake_if_idle() {
    if (idle_.load(std::memory_order_acquire)) wake();
  }

 private:
  static void* run(void* self);
  void loop();
  std::int64_t pause_ns();
  std::int64_t pause_outside_mpi();
  bool nothing_to_do() const;

  Engine& engine_;
  pthread_t thread_{};
  int wake_fd_ = -1;
  std::atomic<bool> stop_{false};
  std::atomic<bool> asleep_{false};  ///< in a pause of any length
  std::atomic<bool> idle_{false};    ///< in one without an end
  std::int64_t backoff_ns_ = 0;
};

}  // namespace lapwing::transfer
