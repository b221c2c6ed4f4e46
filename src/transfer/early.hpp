// SPDX-License-Identifier: Apache-2.0
// Messages that a probe took out of MPI's queue, and statuses made by hand.
#pragma once

#include <mpi.h>

#include <optional>

#include "transfer/comms.hpp"
#include "transfer/requests.hpp"

namespace lapwing::transfer {

class Engine;

/// The oldest early message that a receive or probe of (rank, tag) matches, no
/// longer held. Under the engine's lock.
std::optional<EarlyMessage> take_early(CommInfo& info, int rank, int tag);

/// Fills a status as if `bytes` bytes had come from (source, tag); leaves
/// MPI_ERROR alone.
void set_envelope(MPI_Status* status, int source, int tag, std::size_t bytes);

/// Under the lock. A persistent receive is started with a message that a probe
/// has taken out of MPI's queue; false if there is none for it.
bool start_early(Engine& engine, MPI_Request request);

/// Tells the governor that both halves of an exchange begin; they do not tell it themselves.
/// Takes the lock.
void arrive(Engine& engine, const SendArguments& s, const ReceiveArguments& r);

void retire_overlapping_sends(const void* address, std::size_t length);

}  // namespace lapwing::transfer
