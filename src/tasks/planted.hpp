// SPDX-License-Identifier: Apache-2.0
// Planted defects, for the test that shows that the random programs find them.
// Compiled in only there.
#pragma once

#ifdef LAPWING_TASKS_FAULTS
#include <cstdlib>
#endif

namespace lapwing::tasks {

enum class Fault : int {
  none,
  side_by_side,        // whatever is next in a queue is enabled
  child_behind,        // a child comes behind its parent's record
  parent_keeps,        // a parent keeps the object while its child has it
  parts_as_they_come,  // of a reduction, instead of in order
  no_turns,            // commuting updates do not exclude each other
  no_wait_inside,      // a task's own use never waits
  main_reads_early,    // the main program does not wait for writers
  last_failure,        // the latest exception counts
  stale_locality,      // a task stays queued with an object that it gave up
  release_all,         // giving up the write gives up everything
  no_settling,         // children of a commuting update are not inside it
  early_end,           // the main program does not wait for the last tasks
  creators_stay,       // a creator in the window is never let go
  starts_early,        // a task does not wait for its accesses
  child_at_end,        // a child comes behind everything
  skip_too_much,       // a failure also skips what is before it
  dropped_part,        // a reduction loses a part
  lost_commute,        // a turn is given to no task
  blind_parts,         // parts that overlap are taken for disjoint
  narrow_parts,        // a whole access does not wait for those of parts
  lost_version,        // on ranks: an object is not sent
  lost_loan,           // on ranks: what a lent task has written is forgotten
  late_end,  // on ranks: a thread rests where an object's life ends; no defect, it shows races there
  count
};

#ifdef LAPWING_TASKS_FAULTS
inline bool fault(Fault which) {
  static const int seeded = [] {
    const char* const text = std::getenv("LAPWING_FAULT");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return seeded == static_cast<int>(which);
}
#else
constexpr bool fault(Fault) { return false; }
#endif

}  // namespace lapwing::tasks
