// SPDX-License-Identifier: Apache-2.0
// The program's own requests of weight, watched from where they begin.
#pragma once

#include "transfer/decisions/overlap.hpp"
#include "transfer/decisions/restarts.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::entry {

/// Behind a call at `site` that returned `rc` and has started `request`, or made it where it is persistent:
/// that one is watched from each of its starts on.
inline void watch_from_start(int rc, const MPI_Request* request, const void* site, MPI_Count count,
                             MPI_Datatype type, int peer, transfer::Overlap::Kind kind, bool persistent) {
  if (rc != MPI_SUCCESS || !transfer::Overlap::watches()) return;
  const std::size_t bytes = transfer::payload_bytes(count, type);
  if (persistent)
    transfer::Restarts::made(*request, site, bytes, peer, kind);
  else
    transfer::Overlap::begun(*request, site, bytes, peer, kind);
}

}  // namespace lapwing::entry
