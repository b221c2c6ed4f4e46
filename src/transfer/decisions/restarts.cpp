// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/restarts.hpp"

#include <mutex>

#include "transfer/requests.hpp"

namespace lapwing::transfer {

void Restarts::keep(MPI_Request request, const Made& made) {
  std::lock_guard guard(lock_);
  made_[Requests::key(request)] = made;
  kept_.store(made_.size(), std::memory_order_relaxed);
}

void Restarts::begin(int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    Made made;
    {
      std::lock_guard guard(lock_);
      const auto found = made_.find(Requests::key(requests[i]));
      if (found == made_.end()) continue;
      made = found->second;
    }
    Overlap::begun(requests[i], made.site, made.bytes, made.peer, made.kind, true);
  }
}

void Restarts::forget(const MPI_Request* request) {
  if (!request || *request == MPI_REQUEST_NULL) return;
  std::lock_guard guard(lock_);
  made_.erase(Requests::key(*request));
  kept_.store(made_.size(), std::memory_order_relaxed);
}

}  // namespace lapwing::transfer
