// SPDX-License-Identifier: Apache-2.0
// The thread that lets MPI move on what the compiler has split, where there is
// no engine whose helper does so: awake while something is in flight only.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>

namespace lapwing::transfer {

class ProvedHelper {
 public:
  bool start();  ///< false where there can be no thread
  void stop();   ///< ends the thread and waits for it
  /// Ends the thread; waits a little for it to leave MPI, but not if it may have
  /// to wait for the caller, and not in a child of the process that has it.
  void abandon();

  /// Something has been put in flight. A few loads unless the thread is asleep, or
  /// would be for long and what has just begun may need an answer `soon`.
  void wake(bool soon) {
    if (state_.load() == asleep) {
      wake_up();
    } else if (soon && nap_until_.load(std::memory_order_relaxed) != 0) {
      shorten();
    }
  }

 private:
  enum State : std::uint32_t { awake = 0, asleep = 1, ended = 2 };

  static void* run(void* self);
  void loop();
  bool slice();
  void nap(std::int64_t nanoseconds);
  void sleep();
  void wake_up();
  void shorten();
  void ring();
  void end();

  pthread_t thread_{};
  pid_t process_ = 0;
  std::atomic<std::uint32_t> state_{awake};
  std::atomic<std::uint32_t> bell_{0};  ///< changes where a nap is to end
  std::atomic<std::uint64_t> nap_until_{0};
  std::atomic<bool> inside_{false};  ///< in MPI, or about to look whether it may
};

}  // namespace lapwing::transfer
