// SPDX-License-Identifier: Apache-2.0
// The records of all processes, on rank 0, when the program has come to its end.
#pragma once

#include <vector>

#include "sets/orders/history.hpp"

namespace lapwing::sets {

class Records {
 public:
  /// Collective; the first call gathers them.
  static void gather();
  /// On rank 0, by world rank.
  static const std::vector<Acts>& all() { return all_; }

 private:
  static inline bool gathered_ = false;
  static inline std::vector<Acts>& all_ = *new std::vector<Acts>;
};

}  // namespace lapwing::sets
