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

/// Where and when a program has waited for a plain message.
struct WaitForPlain {
  Site& site;                ///< of the wait
  Site& started;             ///< of the call that started the receive
  std::uint64_t began;       ///< the wait, by the clock
  std::uint64_t took;        ///< this message's part of it, in nanoseconds
  std::uint64_t posted = 0;  ///< the receive, by the clock; 0 where that is not known
  bool by_request = false;   ///< of MPI_Irecv: its own memory counts as posted still
  bool counted = false;      ///< a look has told the governor that it has come
};

/// Tells the governor, or the page trace, of a plain message. Under the engine's lock.
void note_plain_receive(Engine& engine, const Destination& destination, CommInfo& info,
                        const MPI_Status& status, const WaitForPlain& wait);

}  // namespace lapwing::transfer
