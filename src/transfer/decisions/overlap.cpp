// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/overlap.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <vector>

#include "mpi/library_locks.hpp"
#include "mpi/looks.hpp"
#include "transfer/compiled/proved.hpp"
#include "transfer/engine.hpp"
#include "transfer/requests.hpp"
#include "transfer/windows/exposure.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::transfer {
namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  a = (a ^ b) * 0x9e3779b97f4a7c15u;
  return a ^ (a >> 29);
}

std::uint64_t computed_since(const WatchedRequest& request) {
  const std::uint64_t passed = now_ns() - request.since, waited = Overlap::waited() - request.waited_before;
  return passed > waited ? passed - waited : 0;
}

}  // namespace

void Overlap::judge_requests(const Settings& settings, int level) {
  if (!settings.helper || level != MPI_THREAD_MULTIPLE || settings.defer != Defer::automatic) return;
  if (Proved::way() != Proved::Way::direct) Proved::start_for_requests(settings);
  watches_.store(true);
}

void Overlap::stop() {
  judged_.store(false);
  watches_.store(false);
}

bool Overlap::divides(std::uint64_t* flight) {
  if (!judged()) return true;
  std::lock_guard guard(lock_);
  return judge_.divides(flight);
}

void Overlap::looked() {
  if (!judged()) return;
  std::lock_guard guard(lock_);
  judge_.looked();
}

const char* Overlap::verdict() {
  std::lock_guard guard(lock_);
  return judge_.trial() ? judge_.trial()->name() : "no loop";
}

bool Overlap::begins(const void* site, std::size_t bytes, int peer) {
  return !judged() || decide(site, bytes, peer);
}

bool Overlap::decide(const void* site, std::size_t bytes, int peer) {
  // Sizes that differ a little, as those of packed particles do, are one pattern.
  const auto size = static_cast<std::uint64_t>(std::bit_width(bytes));
  const std::uint64_t key =
      mixed(mixed(reinterpret_cast<std::uint64_t>(site), size), static_cast<std::uint64_t>(peer));
  const std::uint64_t now = now_ns();
  const Engine* const engine = Engine::get();
  bool overlaps;
  {
    std::lock_guard guard(lock_);
    // Strips move by themselves, and two trials at once would judge each other.
    judge_.permit(!engine || !engine->expects_headers());
    overlaps = judge_.begins(key, now);
    overlaps_.store(overlaps, std::memory_order_relaxed);
  }
  if (!overlaps && !engine && !Proved::in_flight() && !Exposure::any()) mpi::LibraryLocks::drop();
  return overlaps;
}

void Overlap::went(std::uint64_t waited, std::uint64_t computed) {
  std::lock_guard guard(lock_);
  judge_.went_plainly(waited, computed);
}

void Overlap::went_overlapped(std::uint64_t computed) {
  std::lock_guard guard(lock_);
  judge_.went_overlapped(computed);
}

void Overlap::begun(MPI_Request request, const void* site, std::size_t bytes, int peer, Kind kind,
                    bool persistent) {
  if (!may_watch(bytes, peer, kind) || request == MPI_REQUEST_NULL) return;
  const bool receives = kind == Kind::receive, overlapped = decide(site, bytes, peer);
  if (kind == Kind::send) note_send(peer);
  watch(1, &request, receives, peer, overlapped, persistent);
  last_begun_.store(Requests::key(request), std::memory_order_relaxed);
  if (overlapped) Proved::defer(1, &request, receives);
}

bool Overlap::posted(int count, const MPI_Request* requests, bool receives, const void* site) {
  if (!judged()) return true;
  const MPI_Count elements = posted_count_.exchange(-1, std::memory_order_relaxed);
  const std::uint64_t seen = last_begun_.exchange(0, std::memory_order_relaxed);
  if (count == 1 && requests[0] != MPI_REQUEST_NULL && seen == Requests::key(requests[0])) return false;
  const int peer = posted_peer_.load(std::memory_order_relaxed);
  // Nothing travels; several of these in a list of neighbours would look like a loop of their own.
  if (peer == MPI_PROC_NULL) return false;
  // The most there can be, where it is not known.
  const std::size_t bytes =
      elements < 0 ? ~std::size_t{0} : payload_bytes(elements, posted_type_.load(std::memory_order_relaxed));
  if (bytes < Proved::threshold()) return false;
  const bool overlapped = decide(site, bytes, peer);
  if (!receives) note_send(peer);
  watch(count, requests, receives, peer, overlapped);
  return overlapped;
}

void Overlap::watch(int count, const MPI_Request* requests, bool receives, int peer, bool overlapped,
                    bool persistent) {
  const std::uint64_t now = now_ns(), before = waited();
  std::lock_guard guard(lock_);
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    const std::uint64_t key = Requests::key(requests[i]);
    WatchedRequest& slot = slot_of(key);
    if (slot.key == 0) watched_.fetch_add(1, std::memory_order_relaxed);
    slot = {key, requests[i], now, before, 0, peer, receives, false, overlapped, false, persistent};
  }
}

WatchedRequest& Overlap::slot_of(std::uint64_t key) {
  return slot_[static_cast<std::size_t>(mixed(key, 0) >> 32) % slots];
}

// Under the lock.
WatchedRequest* Overlap::find(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return nullptr;
  const std::uint64_t key = Requests::key(request);
  WatchedRequest& slot = slot_of(key);
  return slot.key == key ? &slot : nullptr;
}

void Overlap::note_send(int peer) {
  if (watched_.load(std::memory_order_relaxed) == 0) return;
  const std::uint64_t now = now_ns(), before = waited();
  std::lock_guard guard(lock_);
  for (WatchedRequest& other : slot_) {
    if (other.key == 0 || !other.receives || other.reached) continue;
    if (other.peer != peer && other.peer != MPI_ANY_SOURCE) continue;
    other.since = now;
    other.waited_before = before;
  }
}

void Overlap::note_send_of(MPI_Count count, MPI_Datatype type, int peer) {
  if (!surely_below(count, type, Proved::threshold())) note_send(peer);
}

void Overlap::complete(MPI_Request request) {
  const Proved::Waiting waiting;
  for (int done = 0; !done;) {
    // An error is for the program's wait to meet.
    if (mpi::look(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
  }
}

void Overlap::reach(int count, const MPI_Request* requests, bool all) {
  all = all && !mpi::looks_end_persistent;  // some of them may be persistent
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
      if (!watched || watched->reached || watched->overlapped) continue;
      if (watched->persistent && mpi::looks_end_persistent) continue;
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

void Overlap::carry() {
  if (watched_.load(std::memory_order_relaxed) == 0) return;
  std::array<std::vector<MPI_Request>, 2> carried;  // sends, receives
  {
    std::lock_guard guard(lock_);
    for (WatchedRequest& one : slot_) {
      if (one.key == 0 || one.overlapped || one.reached || one.carried) continue;
      one.carried = true;
      carried[one.receives ? 1 : 0].push_back(one.request);
    }
  }
  for (const bool receives : {false, true}) {
    const std::vector<MPI_Request>& some = carried[receives ? 1 : 0];
    Proved::defer(static_cast<int>(some.size()), some.data(), receives);
  }
}

void Overlap::forget(int count, const MPI_Request* requests) {
  if (!requests) return;
  bool in_flight = false;
  {
    std::lock_guard guard(lock_);
    for (int i = 0; i < count; ++i) {
      WatchedRequest* const watched = find(requests[i]);
      if (!watched || watched->reached) continue;
      in_flight |= watched->overlapped || watched->carried;
      *watched = WatchedRequest{};
      watched_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  if (in_flight) Proved::retire(count, requests);
}

void Overlap::Wait::begin(int count, const MPI_Request* requests) {
  if (!requests) return;
  bool in_flight = false;
  {
    std::lock_guard guard(lock_);
    for (int i = 0; i < count; ++i) {
      WatchedRequest* const watched = find(requests[i]);
      if (!watched) continue;
      const std::uint64_t computed = computed_since(*watched);
      in_flight |= watched->overlapped || watched->carried;
      if (watched->overlapped) {
        judge_.went_overlapped(computed);
      } else if (watched->reached) {
        judge_.went_plainly(watched->waited, computed);
      } else {
        plain_ = true;
        computed_ = std::max(computed_, computed);
      }
      *watched = WatchedRequest{};
      watched_.fetch_sub(1, std::memory_order_relaxed);
      begun_ = 1;
    }
  }
  if (begun_ == 0) return;
  if (in_flight) Proved::retire(count, requests);
  begun_ = now_ns();
}

void Overlap::Wait::end() const {
  const std::uint64_t took = now_ns() - begun_;
  add_waiting(took);
  if (plain_) went(took, computed_);
}

}  // namespace lapwing::transfer
