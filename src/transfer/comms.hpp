// SPDX-License-Identifier: Apache-2.0
// What the engine keeps for each communicator of the program's.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "transfer/wire/wire.hpp"

namespace lapwing::transfer {

using HeaderBytes = std::array<char, header_bytes>;

/// A message that a probe took out of MPI's queue before its receive came.
struct EarlyMessage {
  int source = 0, tag = 0;
  std::size_t bytes = 0;                   ///< of the whole payload
  MPI_Message message = MPI_MESSAGE_NULL;  ///< a plain one, matched but not received
  std::unique_ptr<HeaderBytes> header;     ///< of a header's size, and received: a header or not
};

struct CommInfo {
  MPI_Comm comm = MPI_COMM_NULL;
  /// The program may free a communicator that requests of its still use: then
  /// its handle says nothing any more, or soon something else.
  std::atomic<bool> freed{false};
  /// All members belong to this job's MPI_COMM_WORLD, where all have Lapwing:
  /// both ends of every message on it then agree that size marks a header.
  bool eligible = false;
  /// In order of arrival for each source; older than all that MPI still holds
  /// from that source.
  std::deque<EarlyMessage> early;

  int size() const { return static_cast<int>(world_.size()); }
  int world_rank(int rank) const { return world_[static_cast<std::size_t>(rank)]; }
  /// Whose error handler is told of a request's failure.
  MPI_Comm teller() const { return freed.load() ? MPI_COMM_WORLD : comm; }
  /// For whoever may need it after the communicator has been freed.
  std::shared_ptr<CommInfo> keep() const { return self_; }

 private:
  friend class Comms;
  std::vector<int> world_;
  std::shared_ptr<CommInfo> self_;  // the attribute's own; gone when the communicator is
};

/// Communicators by handle, by means of an attribute, so that freeing one in
/// whatever way forgets it. Calls need the engine's lock.
class Comms {
 public:
  Comms();
  ~Comms();
  CommInfo& of(MPI_Comm comm);
  /// Earlies of all communicators, for the fast path's sake.
  static inline std::size_t early_total = 0;

 private:
  static int forget(MPI_Comm, int, void* attribute, void*);

  int key_ = MPI_KEYVAL_INVALID;
  MPI_Group world_group_ = MPI_GROUP_NULL;
};

}  // namespace lapwing::transfer
