// SPDX-License-Identifier: Apache-2.0
// Collectives and synchronisations with their time in the report.
//
// A stub jumps to where lapwing_entry_real says. Where a report is wanted, that
// is led to a path that looks at the clock; else nothing of this is ever run.
#pragma once

namespace lapwing::entry {

/// Once, in MPI_Init, before another thread can be inside a stub.
void time_group_calls();

}  // namespace lapwing::entry
