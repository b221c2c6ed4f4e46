// SPDX-License-Identifier: Apache-2.0
#include "transfer/requests.hpp"

namespace lapwing::transfer {

void Requests::remove(MPI_Request request) {
  const auto found = map_.find(key(request));
  if (found == map_.end()) return;
  if (found->second.kept_type != MPI_DATATYPE_NULL) PMPI_Type_free(&found->second.kept_type);
  posted_.remove(found->second.posted, found->first);
  map_.erase(found);
  if (map_.empty()) any_.store(false, std::memory_order_relaxed);
}

void Requests::post(Tracked& tracked, MPI_Request request, const Span& span) {
  tracked.posted = span;
  for (const std::uint64_t other : posted_.add(span, key(request))) {
    tracked.destination.shared = true;
    const auto found = map_.find(other);
    if (found != map_.end()) found->second.destination.shared = true;
  }
}

void Requests::keep(MPI_Request request, const Persistent& persistent) {
  forget(request);
  Persistent& kept = persistent_[key(request)] = persistent;
  if (kept.receives) outlive(&kept.receive.type, &kept.kept_type);
  any_kept_.store(true, std::memory_order_relaxed);
}

const Persistent* Requests::kept(MPI_Request request) const {
  const auto found = persistent_.find(key(request));
  return found == persistent_.end() ? nullptr : &found->second;
}

void Requests::forget(MPI_Request request) {
  const auto found = persistent_.find(key(request));
  if (found == persistent_.end()) return;
  if (found->second.kept_type != MPI_DATATYPE_NULL) PMPI_Type_free(&found->second.kept_type);
  persistent_.erase(found);
  if (persistent_.empty()) any_kept_.store(false, std::memory_order_relaxed);
}

bool Requests::any_pending() const {
  for (const auto& [key, tracked] : map_) {
    if (tracked.awaits_header()) return true;
  }
  return false;
}

}  // namespace lapwing::transfer
