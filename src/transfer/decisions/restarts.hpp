// SPDX-License-Identifier: Apache-2.0
// Persistent requests of weight, which a program makes once and starts again and
// again: each start is watched as a request of its own (overlap.hpp). A request's site,
// size and partner stay here from its making until it is freed.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "progress/locks.hpp"
#include "transfer/decisions/overlap.hpp"

namespace lapwing::transfer {

/// Any thread. Costs a load where no such request exists.
class Restarts {
 public:
  /// The call at `site` has made `request`.
  static void made(MPI_Request request, const void* site, std::size_t bytes, int peer, Overlap::Kind kind) {
    if (Overlap::may_watch(bytes, peer, kind) && request != MPI_REQUEST_NULL)
      keep(request, {site, bytes, peer, kind});
  }
  /// The program has started these.
  static void started(int count, const MPI_Request* requests) {
    if (__builtin_expect(kept_.load(std::memory_order_relaxed) > 0, 0)) begin(count, requests);
  }
  /// Before a request is freed.
  static void freed(const MPI_Request* request) {
    if (__builtin_expect(kept_.load(std::memory_order_relaxed) > 0, 0)) forget(request);
  }

 private:
  struct Made {
    const void* site = nullptr;
    std::size_t bytes = 0;
    int peer = 0;
    Overlap::Kind kind = Overlap::Kind::receive;
  };

  static void keep(MPI_Request request, const Made& made);
  static void begin(int count, const MPI_Request* requests);
  static void forget(const MPI_Request* request);

  static inline std::atomic<std::size_t> kept_{0};
  static inline progress::SpinLock lock_;  // guards the rest
  /// Never destroyed: libraries free requests while the process ends.
  static inline auto& made_ = *new std::unordered_map<std::uint64_t, Made>;
};

}  // namespace lapwing::transfer
