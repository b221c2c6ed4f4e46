// SPDX-License-Identifier: Apache-2.0
// Lets declared communication proceed while the program computes.
#pragma once

#include <atomic>
#include <thread>

#include "sets/declared.hpp"

namespace lapwing::sets::declared {

/// A thread that works while something is pending and sleeps otherwise. Needs
/// MPI_THREAD_MULTIPLE.
class Declared::Helper {
 public:
  explicit Helper(const Declared& declared);
  ~Helper();
  /// Something is pending now. Cheap while the thread is awake.
  void wake();

 private:
  void loop();

  const Declared& declared_;
  std::atomic<int> state_{0};  ///< 0 asleep or about to be, 1 awake, 2 to end
  std::thread thread_;
};

}  // namespace lapwing::sets::declared
