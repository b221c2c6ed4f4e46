// SPDX-License-Identifier: Apache-2.0
// Hints for C++: while one of these lives, they hold for the calling thread.
#pragma once

#include <cstddef>

#include "lapwing/hints.h"

namespace lapwing {

/// As lapwing_set_order(), lapwing_set_decomposition() and lapwing_set_train(); zero leaves a value as it is
/// without a hint. At its end the thread gives no hint any more: scopes do not nest.
class HintScope {
 public:
  struct Values {
    lapwing_order order = LAPWING_ORDER_AUTO;
    std::size_t first = 0, largest = 0;  ///< bytes
    int train = 0;                       ///< messages
  };

  explicit HintScope(const Values& values)
      : given_(lapwing_set_order(values.order) == 0 &&
               lapwing_set_decomposition(values.first, values.largest) == 0 &&
               lapwing_set_train(values.train) == 0) {}
  ~HintScope() { lapwing_reset_hints(); }
  HintScope(const HintScope&) = delete;
  HintScope& operator=(const HintScope&) = delete;

  /// False where there is no Lapwing, or a value was refused.
  bool given() const { return given_; }

 private:
  bool given_;
};

}  // namespace lapwing
