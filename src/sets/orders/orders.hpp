// SPDX-License-Identifier: Apache-2.0
// At the end of a checked program: does it depend on an order of messages that MPI does not promise?
// Unsafe sends (MPI 4.0, section 3.5: a program is safe if it needs no buffering) and receives from any
// source.
#pragma once

#include "transfer/settings.hpp"

namespace lapwing::sets {

class Orders {
 public:
  using Severity = transfer::Severity;

  /// Before the first message, on all processes alike.
  static void start(Severity sends, Severity races);
  /// Collective; of a program in which nothing else is wrong. Rank 0 says what it finds; does not return on
  /// any process where that ends the job.
  static void report();

 private:
  static inline Severity sends_ = Severity::off, races_ = Severity::off;
};

}  // namespace lapwing::sets
