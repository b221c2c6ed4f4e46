// SPDX-License-Identifier: Apache-2.0
// Proves that processes wait for each other for ever.
//
// A process that has waited for some time asks those it waits for what they
// wait for, and so on; who computes does not answer until it waits itself. Of
// those that wait, a set is blocked for ever if each needs an act of another in
// the set that has not been done. The members of such a set are asked once
// more: whether they still wait as they did, and whether what is waited for has
// happened meanwhile, by their own counts. If all say that nothing has changed,
// there was a moment at which all waited and nothing was on its way.
#pragma once

#include <cstdint>

namespace lapwing::sets {

class Deadlock {
 public:
  static void start(bool provable);
  /// Whether one thread at a time calls MPI: otherwise another thread might act.
  static bool provable() { return provable_; }
  /// From a wait that began at `begun`, now and then. Under the lock.
  static void look(std::uint64_t begun, std::uint64_t now);
  /// The wait is over. Under the lock.
  static void forget();

 private:
  static inline bool provable_ = true;
};

}  // namespace lapwing::sets
