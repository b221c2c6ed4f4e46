// SPDX-License-Identifier: Apache-2.0
// Lets what is under way in this room proceed while the program computes, or
// waits inside MPI.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace lapwing::sets {

/// A thread that works while something is pending and sleeps otherwise. Needs
/// MPI_THREAD_MULTIPLE. Neither function may be called with the lock of Messages held.
class Helper {
 public:
  /// `work` tells whether anything moved.
  Helper(std::function<bool()> pending, std::function<bool()> work);
  ~Helper();
  /// Something is pending now. Cheap while the thread is awake.
  void wake();

 private:
  void loop();

  const std::function<bool()> pending_, work_;
  std::atomic<int> state_{0};  ///< 0 asleep or about to be, 1 awake, 2 to end
  std::thread thread_;
};

}  // namespace lapwing::sets
