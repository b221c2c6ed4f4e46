// SPDX-License-Identifier: Apache-2.0
// Epochs of one-sided communication, by post, start, complete and wait, while
// checking.
//
// The n-th epoch that a process starts towards another is the n-th that the other
// posts to it. A post is told to those whom it concerns, so that MPI_Win_start,
// which blocks until then in both MPIs, can answer questions meanwhile.
#pragma once

#include <cstdint>

#include "sets/check/waiting.hpp"
#include "sets/group_call.hpp"

namespace lapwing::sets {

class Epochs {
 public:
  static void start();
  /// MPI_Win_post, MPI_Win_lock and their kin, which are no group's calls.
  static bool is_one(Operation operation) {
    return operation >= Operation::win_post && operation <= Operation::win_sync;
  }
  /// As Watcher's; where no deadlocks are followed, nothing is done.
  static bool before(const GroupCall& call, int* result);
  static void after(const GroupCall& call);
  /// Has this process done what `edge` of the process `asker` waits for? Under the lock.
  static bool is_done(const Edge& edge, int asker);
};

}  // namespace lapwing::sets
