// SPDX-License-Identifier: Apache-2.0
// Calls that use memory of an operation in flight, where that is to be a warning (LAPWING_CHECK_OVERLAPS).
//
// MPI forbids it (MPI 4.0, 3.7.2), and well-known libraries do it all the same with right results:
// ScaLAPACK's reductions to all processes send from a buffer into which the answer is received.
#pragma once

#include <cstddef>

#include "sets/report/report.hpp"
#include "sets/votes/agreement.hpp"
#include "transfer/settings.hpp"

namespace lapwing::sets {

class Overlaps {
 public:
  using Severity = transfer::Severity;

  /// Before the first call that is checked.
  static void start(Severity severity);
  static Severity severity() { return severity_; }

  /// One call's use of memory.
  struct Use {
    const Told& told;
    bool writes;
  };
  /// Of `bytes` of the memory that `pending` uses until it is completed. Ends the job, or keeps the pair of
  /// calls, once, for report().
  static void found(const Use& pending, const Use& later, std::size_t bytes);

  /// At the begin of MPI_Finalize, under the lock of Messages.
  static void listen();
  /// On all processes, at the end of MPI_Finalize's checks: rank 0 says each pair of calls once.
  static void report();

 private:
  static inline Severity severity_ = Severity::error;
};

}  // namespace lapwing::sets
