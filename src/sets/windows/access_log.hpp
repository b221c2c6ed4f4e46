// SPDX-License-Identifier: Apache-2.0
// The accesses of this process, up to a bounded number, and of all processes at the end.
#pragma once

#include <cstddef>
#include <vector>

#include "sets/group_call.hpp"
#include "sets/windows/window.hpp"

namespace lapwing::sets {

class AccessLog {
 public:
  /// False where it is not recorded: the log is full, or the process does what the History does not follow.
  static bool begins(const GroupCall& call, const Window& window, const std::vector<ByteRange>& runs,
                     std::size_t* record);
  /// It is complete at its target.
  static void ends(std::size_t record);
  /// From here on this process may know what others have written, without a call that says so.
  static void looks(const Window& window);

  /// Collective, at MPI_Finalize: reports accesses that nothing orders.
  static void report();
};

}  // namespace lapwing::sets
