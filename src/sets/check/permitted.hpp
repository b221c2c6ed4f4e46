// SPDX-License-Identifier: Apache-2.0
// Use of handles that MPI permits and that is a mistake most of the time: handles that are not
// freed, and waits for persistent requests that are never started, which end at once with
// nothing done. A program may mean either, so both are told at MPI_Finalize of a program in
// which nothing else is wrong, as a warning unless LAPWING_CHECK_LEAKS says otherwise.
#pragma once

#include "sets/check/pending.hpp"
#include "sets/report/report.hpp"

namespace lapwing::sets {

class Permitted {
 public:
  /// At the begin of MPI_Finalize, under the lock of Messages.
  static void start();
  /// A request that the program frees. Under the lock of Messages.
  static void freed(const Pending& request);
  /// On all processes, at the end of MPI_Finalize's checks.
  static void report();
};

}  // namespace lapwing::sets
