// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/progress_way.hpp"

#include <algorithm>
#include <mutex>

#include "transfer/compiled/proved.hpp"
#include "transfer/engine.hpp"

namespace lapwing::transfer {
namespace {

// Smaller ones leave at once, or cost less than a wake-up.
constexpr std::size_t least_bytes = 32 << 10;

}  // namespace

void ProgressWay::start(const Settings& settings, int level) {
  if (!settings.helper || level != MPI_THREAD_MULTIPLE || settings.defer != Defer::automatic) return;
  Proved::start_for_requests();
  watches_.store(true);
}

PendingRequest& ProgressWay::slot_of(std::uint64_t key) {
  return pendings_[static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 32) % slots];
}

void ProgressWay::begun(MPI_Request request, const void* site, std::size_t bytes, int peer, Kind kind) {
  if (!watches() || bytes < least_bytes || request == MPI_REQUEST_NULL) return;
  Engine* engine = Engine::get();
  const std::uint64_t now = now_ns();
  bool helped = false;
  {
    std::lock_guard guard(lock_);
    if (kind == Kind::send) {
      // An answer before the program's own send would let the two directions travel one
      // after the other: what was computed until now could hide nothing of what comes.
      for (PendingRequest& pending : pendings_) {
        if (pending.receives) pending.since = now;
      }
    }
    // Strips move by themselves, and two trials at once would judge each other.
    judge_.permit(!engine || !engine->expects_headers(), 0);
    const auto where = reinterpret_cast<std::uint64_t>(site);
    helped =
        judge_.begins(where * 31 + static_cast<std::uint64_t>(peer) * 7 + static_cast<unsigned>(kind), now);
    tries_.store(helped, std::memory_order_relaxed);
    const std::uint64_t key = Requests::key(request);
    PendingRequest& pending = slot_of(key);
    if (pending.key == 0) pending_.fetch_add(1, std::memory_order_relaxed);
    pending = {key, now, waited_, kind == Kind::receive};
  }
  if (helped) Proved::defer(1, &request, kind == Kind::receive);
}

void ProgressWay::Wait::begin(int count, const MPI_Request* requests) {
  if (!requests) return;
  const std::uint64_t now = now_ns();
  {
    std::lock_guard guard(lock_);
    for (int i = 0; i < count; ++i) {
      if (requests[i] == MPI_REQUEST_NULL) continue;
      const std::uint64_t key = Requests::key(requests[i]);
      PendingRequest& pending = slot_of(key);
      if (pending.key != key) continue;
      begun_ = now;
      const std::uint64_t waited = waited_ - pending.waited_before;
      if (now - pending.since > waited) computed_ = std::max(computed_, now - pending.since - waited);
      pending = PendingRequest{};
      pending_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  if (begun_ != 0 && tries()) Proved::retire(count, requests);
}

void ProgressWay::Wait::end() const {
  const std::uint64_t took = now_ns() - begun_;
  std::lock_guard guard(lock_);
  waited_ += took;
  if (!judge_.splits()) judge_.went_plainly(took, computed_);
}

}  // namespace lapwing::transfer
