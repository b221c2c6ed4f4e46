// SPDX-License-Identifier: Apache-2.0
// The requests of one completing call, and what becomes of them.
//
// A request that stands for a stripped message is given to MPI's own wait or
// test only when it is *ready*: then MPI completes it at once, and the status
// is corrected. A test does not see a request that is not ready: a null handle
// stands in its place.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "transfer/engine.hpp"

namespace lapwing::transfer {

/// Calls under the engine's lock, but for the constructor.
class Batch {
 public:
  Batch(Engine& engine, int count, const MPI_Request* requests);

  /// Null handles for those that are not ready; their number.
  int mask();
  MPI_Request* data() { return masked_.data(); }
  std::size_t size() const { return masked_.size(); }
  std::uint64_t key(int i) const { return keys_[static_cast<std::size_t>(i)]; }
  /// The engine's knowledge of entry i; null where it is MPI's alone.
  Tracked* tracked(std::size_t i);

  /// After MPI has completed entry i: the program's handle follows, the status too. The
  /// error of the message.
  int settle_entry(int i, MPI_Request* requests, MPI_Status* status);
  /// After MPI has completed `done` entries with `rc`, the k-th of which is entry indices[k] with own[k]: as
  /// MPI_Waitsome would end.
  int settle_some(MPI_Request* requests, int done, const int* indices, std::vector<MPI_Status>& own, int rc,
                  MPI_Status* statuses);
  /// After MPI has completed all entries with `rc` and the statuses `own`: as MPI_Waitall
  /// would end.
  int settle_all(MPI_Request* requests, std::vector<MPI_Status>& own, int rc, MPI_Status* statuses);

 private:
  /// settle_entry() of one whose status is among `own`. `told`: `*rc` says that statuses hold errors.
  void settle_with_status(int i, MPI_Request* requests, bool failed, MPI_Status* status,
                          std::vector<MPI_Status>& own, bool* told, int* rc);

  Engine& engine_;
  std::vector<MPI_Request> masked_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace lapwing::transfer
