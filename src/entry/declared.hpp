// SPDX-License-Identifier: Apache-2.0
// When declared communication and short-cuts start and stop.
#pragma once

#include "transfer/settings.hpp"

namespace lapwing::entry {

/// Whether the program calls anything of declare.h or shortcut.h. All programs of
/// a job must give the same answer.
bool declares();

/// At the end of MPI_Init, collective, if declares().
void start_declared(const transfer::Settings& settings);
/// At the beginning of MPI_Finalize; nothing if it was not started. Everything
/// declared has happened then, or the job has ended.
void stop_declared();

}  // namespace lapwing::entry
