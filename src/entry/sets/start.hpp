// SPDX-License-Identifier: Apache-2.0
// When the room of process sets opens and closes.
#pragma once

#include "transfer/settings.hpp"

namespace lapwing::entry {

/// Before PMPI_Init: whether this process needs the room, by the environment and
/// by what the program refers to. May differ between the ranks.
bool wants_sets(const transfer::Settings& settings);

/// Before PMPI_Init: whether a thread may have to pass votes on while this process
/// waits in a collective.
bool passes_votes_on(const transfer::Settings& settings);

/// Whether that is in order to check: then nothing else is done to the program.
bool checks(const transfer::Settings& settings);

/// After PMPI_Init, before the launcher is forgotten: opens the room where every
/// rank of the job wants it. Otherwise nobody opens it, and one rank says why.
/// `threads`: several threads may call MPI at once.
void start_sets(const transfer::Settings& settings, bool threads);

/// Before PMPI_Finalize; collective where the room is open.
void stop_sets();

}  // namespace lapwing::entry
