// SPDX-License-Identifier: Apache-2.0
// Receives that MPI itself has completed: a header, or a plain message to learn from.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "transfer/engine.hpp"

namespace lapwing::transfer {

/// The transfer that MPI's message announces, now started, or null where it is a
/// message of the program's own. Under the engine's lock.
std::shared_ptr<Incoming> started_by_header(Engine& engine, const Destination& destination, CommInfo& info,
                                            const MPI_Status& status, Site* site);

/// Tells the governor of a plain message that was started at `started`, and for which the
/// program has waited at `site`. Under the engine's lock.
void note_plain_receive(Engine& engine, const Destination& destination, CommInfo& info,
                        const MPI_Status& status, Site& site, Site& started, std::uint64_t waited);

}  // namespace lapwing::transfer
