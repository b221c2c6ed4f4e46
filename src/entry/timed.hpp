// SPDX-License-Identifier: Apache-2.0
// Collectives and synchronisations with their time in the report.
//
// A stub jumps to where lapwing_entry_real says. Where a report is wanted, that
// is led to a path that looks at the clock. Where the helper may make progress for
// collectives that do not block, theirs is led to a path that notes their requests; where
// it may serve windows, the calls that make and free them are counted there.
#pragma once

namespace lapwing::entry {

/// Once, in MPI_Init, before another thread can be inside a stub. `all`: not only those
/// that do not block.
void time_group_calls(bool all);

}  // namespace lapwing::entry
