// SPDX-License-Identifier: Apache-2.0
// When declared communication and short-cuts start and stop.
#pragma once

#include "transfer/settings.hpp"

namespace lapwing::entry {

/// Whether the program calls anything of declare.h or shortcut.h.
bool declares();

/// At the end of MPI_Init, on every rank alike, after start_sets(): starts where
/// anybody declares and the room is open. What the program has written is not
/// to be switched off: with LAPWING=off it opens the room itself.
void start_declared(const transfer::Settings& settings);
/// At the beginning of MPI_Finalize; nothing if it was not started. Everything
/// declared has happened then, or the job has ended.
void stop_declared();

}  // namespace lapwing::entry
