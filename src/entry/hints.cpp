// SPDX-License-Identifier: Apache-2.0
// The C API of hints.
#define LAPWING_HINTS_LINKED
#include "lapwing/hints.h"

#include "entry/p2p/p2p.hpp"
#include "transfer/hints/hints.hpp"

using lapwing::transfer::Direction;
using lapwing::transfer::Hints;
using lapwing::transfer::hints_of_this_thread;

LAPWING_ENTRY int lapwing_set_order(int order) {
  Hints& hints = hints_of_this_thread();
  switch (order) {
    case LAPWING_ORDER_AUTO:
      hints.order.reset();
      return 0;
    case LAPWING_ORDER_UP:
      hints.order = Direction::up;
      return 0;
    case LAPWING_ORDER_DOWN:
      hints.order = Direction::down;
      return 0;
    default:
      return -1;
  }
}

LAPWING_ENTRY int lapwing_set_decomposition(size_t first, size_t largest) {
  if (first > Hints::most_bytes || largest > Hints::most_bytes) return -1;
  Hints& hints = hints_of_this_thread();
  hints.first = static_cast<std::uint32_t>(first);
  hints.largest = static_cast<std::uint32_t>(largest);
  return 0;
}

LAPWING_ENTRY int lapwing_set_train(int messages) {
  if (messages < 0 || static_cast<std::uint32_t>(messages) > Hints::most_train) return -1;
  hints_of_this_thread().train = static_cast<std::uint32_t>(messages);
  return 0;
}

LAPWING_ENTRY int lapwing_reset_hints(void) {
  hints_of_this_thread() = {};
  return 0;
}
