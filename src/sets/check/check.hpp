// SPDX-License-Identifier: Apache-2.0
// Check mode: compares the calls that groups make, and proves deadlocks.
#pragma once

#include "sets/group_call.hpp"
#include "sets/votes/agreement.hpp"
#include "transfer/settings.hpp"

namespace lapwing::sets {

class Checker : public Watcher {
 public:
  /// After Messages::start(). `provable`: one thread at a time calls MPI. `watched_bytes`: the most that
  /// buffers under watch may hold together; 0 for no watch.
  static void start(bool provable, const transfer::Settings& settings, std::size_t watched_bytes);

  bool before(const GroupCall& call, int* result, Made* made) override;
  void after(const GroupCall& call, int result, const Made& made) override;

 private:
  void bind_made(const GroupCall& call, const Made& made);
};

/// When all processes have come to MPI_Finalize: messages that were not received,
/// calls that not all members made. Returns if there are none.
void announce_finalize();

}  // namespace lapwing::sets
