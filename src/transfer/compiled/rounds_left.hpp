// SPDX-License-Identifier: Apache-2.0
// The rounds of a divided loop that are left when it is come to: those outside of the ones that ran early,
// and those of these that were put aside, since they came upon what was in flight.
#pragma once

#include "transfer/compiled/interior_range.hpp"

namespace lapwing::transfer {

/// In compiled programs, as lapwing_left.
struct RoundsLeft {
  long long begin, end;  ///< ran early
  long long rounds;      ///< of the whole loop
  long long next;        ///< the first that was not given yet
  long long* aside;
  long long count, capacity;  ///< of those put aside
};

/// Rounds are put aside in ascending order.
void put_aside(RoundsLeft& left, long long round) noexcept;
/// This one and all behind it are left.
inline void stop(RoundsLeft& left, long long round) noexcept { left.end = round; }
/// One run after another, in ascending order; at last an empty one.
Rounds next_run(RoundsLeft& left) noexcept;

}  // namespace lapwing::transfer
