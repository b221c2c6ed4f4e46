// SPDX-License-Identifier: Apache-2.0
// Accesses to windows, and the epochs in which they stand, while checking: calls outside of an epoch, beyond
// the window, or with a buffer that is not free are reported before MPI sees them. All are recorded for
// access_log.hpp.
#pragma once

#include "sets/group_call.hpp"
#include "sets/votes/agreement.hpp"

namespace lapwing::sets {

class OneSided {
 public:
  /// A window has been made; collective over `comm`.
  static void made(MPI_Win win, Circle* circle, MPI_Comm comm);

  /// A call at a window, collective ones included, is about to be made; as Watcher's.
  static void before(const GroupCall& call, Made* made);
  static void after(const GroupCall& call, int result, const Made& made);
  /// The window of `circle` is no more.
  static void freed(const Circle& circle);

  /// At MPI_Finalize: an epoch is open still. Reports it.
  static void check_end();
};

}  // namespace lapwing::sets
