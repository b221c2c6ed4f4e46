// SPDX-License-Identifier: Apache-2.0
// The progress thread: works while something is in flight, sleeps otherwise.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace lapwing::transfer {

class Engine;

class Helper {
 public:
  explicit Helper(Engine& engine);
  ~Helper();     ///< ends the thread and waits for it
  void start();  ///< once the guards are ready, whose events it serves

  /// Something has been put in flight, or a page is wanted. Async-signal-safe.
  void wake();

 private:
  static void* run(void* self);
  void loop();
  std::int64_t pause_ns();

  Engine& engine_;
  pthread_t thread_{};
  int wake_fd_ = -1;
  std::atomic<bool> stop_{false};
  std::atomic<bool> asleep_{false};
  std::int64_t backoff_ns_ = 0;
};

}  // namespace lapwing::transfer
