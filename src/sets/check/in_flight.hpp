// SPDX-License-Identifier: Apache-2.0
// The memory of operations that have begun and that the program has not completed:
// no other call may use it before, but both may read.
#pragma once

#include <mpi.h>

#include <vector>

#include "sets/check/areas.hpp"

namespace lapwing::sets {

/// Under the lock of Messages where several threads call MPI.
class InFlight {
 public:
  struct Held;
  /// Of one operation's areas; null for none. Valid until release().
  using Ticket = Held*;

  /// A call is about to use these; reports where an operation in flight forbids it.
  static void check(const Area& area, const Told& told);
  static void check(const std::vector<Area>& areas, const Told& told);
  /// The buffers of one call must not overlap each other either.
  static void check_own(const std::vector<Area>& areas, const Told& told);

  static Ticket hold(const Area& area, const Told& told, MPI_Request request);
  static Ticket hold(const std::vector<Area>& areas, const Told& told, MPI_Request request);
  static void release(Ticket ticket);

  /// Whether the program may be told that an operation is complete and keep its request.
  static bool may_ask_for_status();
};

}  // namespace lapwing::sets
