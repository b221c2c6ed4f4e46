// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/plain_way.hpp"

#include <bit>
#include <mutex>

#include "mpi/library_locks.hpp"
#include "transfer/compiled/proved.hpp"
#include "transfer/engine.hpp"
#include "transfer/requests.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::transfer {
namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  a = (a ^ b) * 0x9e3779b97f4a7c15u;
  return a ^ (a >> 29);
}

std::uint64_t computed_since(std::uint64_t since, std::uint64_t waited_before) {
  const std::uint64_t passed = now_ns() - since, waited = PlainWay::waited() - waited_before;
  return passed > waited ? passed - waited : 0;
}

}  // namespace

bool PlainWay::splits(const void* site, std::size_t bytes, int peer) {
  if (!judged()) return true;
  // Sizes that differ a little, as those of packed particles do, are one pattern.
  const auto size = static_cast<std::uint64_t>(std::bit_width(bytes));
  const std::uint64_t key =
      mixed(mixed(reinterpret_cast<std::uint64_t>(site), size), static_cast<std::uint64_t>(peer));
  const std::uint64_t now = now_ns();
  bool split;
  {
    std::lock_guard guard(lock_);
    split = judge_.begins(key, now);
  }
  if (!split && !Proved::in_flight()) mpi::LibraryLocks::drop();
  return split;
}

void PlainWay::went(std::uint64_t waited, std::uint64_t computed) {
  std::lock_guard guard(lock_);
  judge_.went_plainly(waited, computed);
}

const char* PlainWay::verdict() {
  std::lock_guard guard(lock_);
  return judge_.trial() ? judge_.trial()->name() : "no loop";
}

std::size_t PlainWay::take_posted(int* peer) {
  const MPI_Count count = posted_count_.exchange(-1, std::memory_order_relaxed);
  *peer = posted_peer_.load(std::memory_order_relaxed);
  return count < 0 ? ~std::size_t{0} : payload_bytes(count, posted_type_.load(std::memory_order_relaxed));
}

// Under the lock.
WatchedRequest* PlainWay::find(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return nullptr;
  const std::uint64_t key = Requests::key(request);
  WatchedRequest& slot = slot_[static_cast<std::size_t>(mixed(key, 0) >> 32) % slots];
  return slot.key == key ? &slot : nullptr;
}

void PlainWay::note_send(int peer) {
  if (watched_.load(std::memory_order_relaxed) == 0) return;
  const std::uint64_t now = now_ns(), before = waited();
  std::lock_guard guard(lock_);
  for (WatchedRequest& other : slot_) {
    if (other.key == 0 || !other.receives || other.reached || other.peer != peer) continue;
    other.since = now;
    other.waited_before = before;
  }
}

void PlainWay::note_send_of(MPI_Count count, MPI_Datatype type, int peer) {
  if (!surely_below(count, type, Proved::threshold())) note_send(peer);
}

void PlainWay::watch(int count, const MPI_Request* requests, bool receives, int peer) {
  if (!receives) note_send(peer);
  const std::uint64_t now = now_ns(), before = waited();
  std::lock_guard guard(lock_);
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    const std::uint64_t key = Requests::key(requests[i]);
    WatchedRequest& slot = slot_[static_cast<std::size_t>(mixed(key, 0) >> 32) % slots];
    if (slot.key == 0) watched_.fetch_add(1, std::memory_order_relaxed);
    slot = {key, now, before, 0, peer, receives, false};
  }
}

void PlainWay::complete(MPI_Request request) {
  const Proved::Waiting waiting;
  for (int done = 0; !done;) {
    // An error is for the program's wait to meet.
    if (PMPI_Request_get_status(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
  }
}

void PlainWay::reach(int count, const MPI_Request* requests, bool all) {
  if (!all && watched_.load(std::memory_order_relaxed) == 0) return;
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    if (all) {
      complete(requests[i]);
      continue;
    }
    {
      std::lock_guard guard(lock_);
      const WatchedRequest* const watched = find(requests[i]);
      if (!watched || watched->reached) continue;
    }
    const std::uint64_t begun = now_ns();
    complete(requests[i]);
    const std::uint64_t ended = now_ns();
    add_waiting(ended - begun);
    std::lock_guard guard(lock_);
    if (WatchedRequest* watched = find(requests[i])) {
      watched->reached = true;
      watched->waited = ended - begun;
      watched->since = ended;
      watched->waited_before = waited();
    }
  }
}

void PlainWay::retire(int count, const MPI_Request* requests) {
  if (watched_.load(std::memory_order_relaxed) == 0) return;
  std::lock_guard guard(lock_);
  for (int i = 0; i < count; ++i) {
    WatchedRequest* const watched = find(requests[i]);
    if (!watched) continue;
    const std::uint64_t computed = computed_since(watched->since, watched->waited_before);
    if (watched->reached) {
      judge_.went_plainly(watched->waited, computed);
    } else if (computed > expected_.load(std::memory_order_relaxed)) {
      expected_.store(computed, std::memory_order_relaxed);
    }
    watched->key = 0;
    watched_.fetch_sub(1, std::memory_order_relaxed);
  }
}

void PlainWay::Wait::begin() {
  expected_.store(0, std::memory_order_relaxed);
  begun_ = now_ns();
}

void PlainWay::Wait::end() const {
  const std::uint64_t took = now_ns() - begun_;
  add_waiting(took);
  went(took, computed_);
}

}  // namespace lapwing::transfer
