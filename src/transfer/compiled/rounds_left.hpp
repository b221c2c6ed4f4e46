// SPDX-License-Identifier: Apache-2.0
// The rounds of a divided loop: those that run early, and those that are left when it is come to, which are
// the ones outside of these and the ones that were put aside, since they came upon what was in flight.
#pragma once

#include "transfer/compiled/interior_range.hpp"

namespace lapwing::transfer {

/// In compiled programs, as lapwing_left.
struct RoundsLeft {
  long long begin, end;  ///< ran early
  long long rounds;      ///< of the whole loop
  long long next;        ///< the first that was not given yet
  Rounds* aside;         ///< runs of those put aside, none next to another
  long long count, capacity;
  long long at;          ///< the first of these runs that was not passed yet
  long long remembered;  ///< what it is remembered by (remembered_divisions.hpp), or 0
};

/// Rounds are put aside in ascending order.
void put_aside(RoundsLeft& left, long long round) noexcept;
/// Runs to be put aside besides, behind all others.
void put_aside(RoundsLeft& left, const Rounds* runs, long long count) noexcept;
/// This one and all behind it are left.
inline void stop(RoundsLeft& left, long long round) noexcept {
  left.end = round;
  left.next = 0;
}
/// The next `most` of those that run early, whether or not they will be put aside; none: this one and all
/// behind it are left. At last an empty run.
Rounds next_looked_run(RoundsLeft& left, long long most) noexcept;
/// One run after another of those that run early and are not put aside; at last an empty one.
Rounds next_early_run(RoundsLeft& left) noexcept;
/// One run after another of those that are left, in ascending order; at last an empty one.
Rounds next_run(RoundsLeft& left) noexcept;

}  // namespace lapwing::transfer
