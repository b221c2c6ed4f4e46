// SPDX-License-Identifier: Apache-2.0
// Locks of windows, so that a process that waits for one can say for whom.
//
// MPI waits inside of MPI_Win_lock or a later call, where no question is answered. So a process first asks
// the target's process, which keeps a list of those that hold the lock; both MPIs then give it at once. A
// target that does not answer, since it computes for long, is asked no more: then MPI alone decides.
#pragma once

#include "sets/check/waiting.hpp"
#include "sets/group_call.hpp"
#include "sets/windows/window.hpp"

namespace lapwing::sets {

class Locks {
 public:
  static void start();
  /// MPI_Win_lock is about to be called: returns when the lock is free for it.
  static void acquire(const GroupCall& call, const Window& window);
  /// MPI_Win_unlock has returned, or MPI_Win_lock has failed.
  static void release(const Window& window, int target);
  /// Has this process unlocked what `edge` waits for? Under the lock of Messages.
  static bool is_done(const Edge& edge);
};

}  // namespace lapwing::sets
