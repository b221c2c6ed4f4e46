// SPDX-License-Identifier: Apache-2.0
#include "transfer/compiled/proved.hpp"
#include "mpi/looks.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "mpi/library_locks.hpp"
#include "mpi/looks.hpp"
#include "transfer/accounts/accounts.hpp"
#include "transfer/accounts/record.hpp"
#include "transfer/compiled/polls.hpp"
#include "transfer/compiled/proved_helper.hpp"
#include "transfer/decisions/overlap.hpp"
#include "transfer/operations.hpp"

namespace lapwing::transfer {
namespace {

using State = lapwing_token::State;
using Matched = lapwing_token::Matched;

constexpr int most_per_look = 16;
constexpr std::uint64_t stale_after = 60'000'000'000;
constexpr std::uint64_t patience_at_the_end = 1'000'000'000;
int unused_tag = 32767;

std::size_t slot_index(std::uint64_t key, std::size_t slots) {
  return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 32) % slots;
}

// An empty look takes MPI some hundred nanoseconds, nearly always the same; one
// that moved a few KiB takes a multiple. Nothing else tells. The least time seen
// rises slowly, as MPI may come to have more to look at.
template <typename Call>
bool moves(std::atomic<std::uint64_t>& least, Call call) {
  const std::uint64_t begun = __builtin_ia32_rdtsc();
  call();
  const std::uint64_t took = __builtin_ia32_rdtsc() - begun;
  const std::uint64_t expected = least.load(std::memory_order_relaxed);
  least.store(std::min(took, expected + expected / 512 + 1), std::memory_order_relaxed);
  return took > 2 * expected + 1500;
}
std::atomic<std::uint64_t> least_of_status{1'000'000}, least_of_probe{1'000'000};

void find_unused_tag() {
  int* bound = nullptr;
  int known = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &known);
  if (known) unused_tag = *bound;
}

}  // namespace

void Proved::start(const Settings& settings, Way way, int level) {
  threshold_ = settings.proved_threshold;
  verbose_ = settings.verbose > 0;
  looks_briefly_ = settings.looks_briefly();
  find_unused_tag();
  if (way == Way::direct) {
    wants_helper_.store(settings.helper && level == MPI_THREAD_MULTIPLE);
    Polls::start(level);
    if (settings.defer == Defer::automatic) Overlap::judge_split_calls();
  }
  way_.store(way);
  if (way != Way::direct) return;
  pthread_atfork(nullptr, nullptr, [] { wants_helper_.store(false); });
  std::atexit(abandon);
}

void Proved::start_for_requests(const Settings& settings) {
  threshold_ = settings.proved_threshold;
  find_unused_tag();
  wants_helper_.store(true);
  way_.store(Way::direct);
  pthread_atfork(nullptr, nullptr, [] { wants_helper_.store(false); });
  std::atexit(abandon);
}

void Proved::have_helper() {
  if (!wants_helper_.load(std::memory_order_relaxed)) return;
  if (!wants_helper_.exchange(false)) return;
  auto* helper = new ProvedHelper;
  if (helper->start()) {
    helper_.store(helper);
  } else {
    delete helper;
  }
}

lapwing_token* Proved::begin(const lapwing_token& what) {
  have_helper();
  lapwing_token* token = nullptr;
  {
    std::lock_guard guard(lock_);
    token = make(what);
    token->computing_since = now_ns();
    token->waited_before = Overlap::waited();
    token->previous = last_;
    (last_ ? last_->next : first_) = token;
    last_ = token;
    note_start(what.receives, !in_flight());
    unfinished_.fetch_add(1);
    if (token->matched == Matched::kept) kept_.fetch_add(1);
  }
  (what.receives ? receives : sends).fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(what.bytes, std::memory_order_relaxed);
  wake_up();
  return token;
}

// Under the lock, as are the next two.
void Proved::note_start(bool receives, bool alone) {
  if (!helper_) return;
  receives ? pairing_.received(now_ns(), alone) : pairing_.sent(now_ns());
  hold_until_.store(pairing_.hold_until(), std::memory_order_relaxed);
}

void Proved::note_wait() {
  pairing_.waited();
  hold_until_.store(0, std::memory_order_relaxed);
}

void Proved::unlink(lapwing_token* token) {
  (token->previous ? token->previous->next : first_) = token->next;
  (token->next ? token->next->previous : last_) = token->previous;
  unfinished_.fetch_sub(1);
}

bool Proved::may_keep_matched(MPI_Comm comm, int partner) {
  if (!helper_) return false;
  std::lock_guard guard(lock_);
  for (const lapwing_token* token = first_; token; token = token->next) {
    if (!token->receives && token->peer == partner && token->comm == comm) return false;
  }
  return true;
}

// Of a token that the caller has marked as taken.
void Proved::receive_one_matched(lapwing_token* token) {
  if (PMPI_Imrecv(token->buffer, token->count, token->type, &token->message, &token->request) != MPI_SUCCESS)
    token->request = MPI_REQUEST_NULL;
  if (Record::wanted())
    Accounts::started(token->request, {token->place, token->call}, Kind::message, token->bytes, true);
  std::lock_guard guard(lock_);
  token->matched = Matched::no;
  kept_.fetch_sub(1);
}

void Proved::receive_all_matched() {
  while (true) {
    lapwing_token* token;
    {
      std::lock_guard guard(lock_);
      for (token = first_; token && token->matched != Matched::kept;) token = token->next;
      if (!token) return;
      token->matched = Matched::taken;
    }
    receive_one_matched(token);
  }
}

bool Proved::take(lapwing_token* token) {
  Matched matched;
  {
    std::lock_guard guard(lock_);
    if (token->state == State::dropped) return false;
    if (token->state == State::flying && token->helped) unlink(token);
    token->state = State::waiting;
    if (!token->helped) return true;
    note_wait();
    matched = token->matched;
    if (matched == Matched::kept) token->matched = Matched::taken;
  }
  if (matched == Matched::kept) receive_one_matched(token);
  while (matched == Matched::taken) {
    std::lock_guard guard(lock_);
    matched = token->matched;
  }
  // A thread that looks at it now ends soon, and will not look again.
  progress::wait_until([&] { return examined_.load() != token; });
  note_idle();
  return true;
}

void Proved::defer(int count, const MPI_Request* requests, bool receives) {
  if (way() == Way::blocking) return;
  const bool alone = !in_flight();
  int added = 0;
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    const std::uint64_t key = Requests::key(requests[i]);
    if (slot_[slot_index(key, slots)].exchange(key) == 0) ++added;
  }
  changes_.fetch_add(1, std::memory_order_relaxed);
  if (added == 0) return;
  have_helper();
  {
    std::lock_guard guard(lock_);
    note_start(receives, alone);
  }
  deferred_.fetch_add(added);
  wake_up();
}

void Proved::retire(int count, const MPI_Request* requests) {
  int removed = 0;
  for (int i = 0; i < count && deferred_.load(std::memory_order_relaxed) > removed; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    std::uint64_t key = Requests::key(requests[i]);
    if (slot_[slot_index(key, slots)].compare_exchange_strong(key, 0)) ++removed;
  }
  if (removed == 0) return;
  if (helper_) {
    std::lock_guard guard(lock_);
    note_wait();
  }
  changes_.fetch_add(1, std::memory_order_relaxed);
  deferred_.fetch_sub(removed);
  note_idle();
}

// A request that was deferred and then completed in another way stays behind.
void Proved::forget_stale(std::uint64_t now) {
  static std::uint64_t since = 0;
  static unsigned seen = 0;
  const unsigned changes = changes_.load(std::memory_order_relaxed);
  if (since == 0 || changes != seen) {
    seen = changes;
    since = now;
  }
  if (now - since < stale_after) return;
  for (auto& slot : slot_) {
    if (slot.exchange(0) != 0) deferred_.fetch_sub(1);
  }
}

void Proved::wake_up() {
  mpi::LibraryLocks::take();
  begun_.fetch_add(1, std::memory_order_relaxed);
  Polls::want();
  if (ProvedHelper* helper = helper_.load()) {
    helper->something_begun(!Polls::lately());
  } else if (Engine* engine = Polls::taken() ? nullptr : Engine::get()) {
    engine->note_posted_receive();
  }
}

void Proved::note_idle() {
  if (!in_flight()) Polls::want_none();
}

// At that which has not been looked at for longest. `turned`: this made MPI move.
bool Proved::look_at_front(bool* turned) {
  lapwing_token* token;
  {
    std::lock_guard guard(lock_);
    token = first_;
    if (!token) return false;
    if (token != last_) {
      first_ = token->next;
      first_->previous = nullptr;
      token->next = nullptr;
      token->previous = last_;
      last_->next = token;
      last_ = token;
    }
    if (token->touchy || token->matched != Matched::no) return false;
    examined_.store(token);
  }
  int complete = 0;
  // Completes nothing: status and error are for the wait.
  const bool moved = moves(least_of_status, [&] {
    if (mpi::look(token->request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS) complete = 1;
  });
  std::lock_guard guard(lock_);
  examined_.store(nullptr);
  if (!complete) {
    *turned = true;
    return moved;
  }
  if (token->state == State::flying) {
    unlink(token);
    token->state = State::complete;
  }
  return true;
}

bool Proved::look() {
  const mpi::LibraryLocks::Inside inside;
  if (!inside || looking_.exchange(true, std::memory_order_acquire)) return false;
  bool moved = false, turned = false;
  const int count = std::min(unfinished_.load(), most_per_look);
  for (int i = 0; i < count; ++i) moved |= look_at_front(&turned);
  if (!turned && in_flight()) {
    // Any probe lets MPI move; this one finds nothing and changes nothing. A
    // communicator of our own would have to be made by all ranks.
    int found = 0;
    moved |= moves(least_of_probe, [&] {
      PMPI_Iprobe(MPI_ANY_SOURCE, unused_tag, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    });
    if (deferred_.load() > 0) forget_stale(now_ns());
  }
  looking_.store(false, std::memory_order_release);
  note_idle();
  return moved;
}

int Proved::work(std::uint64_t longest, int quiet_looks) {
  const mpi::LibraryLocks::Inside inside;
  if (!inside) return 0;
  // Also where somebody waits: another thread may have matched what that depends on.
  receive_matched();
  int moves = 0;
  const std::uint64_t until = now_ns() + longest;
  for (int quiet = 0; quiet < quiet_looks && in_flight() && !somebody_waits() && way() != Way::blocking;
       ++quiet) {
    if (!look()) continue;
    ++moves;
    quiet = -1;
    if (now_ns() > until) break;
  }
  return moves;
}

void Proved::tell() {
  if (!verbose_ || way() != Way::direct) return;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fmt::print(
      stderr,
      "lapwing: rank {}: of what the compiler has split, {} receives and {} sends were in flight{}{}.\n",
      rank, receives.load(), sends.load(), Overlap::judged() ? "; at last: " : "",
      Overlap::judged() ? Overlap::verdict() : "");
}

void Proved::stop() {
  wants_helper_.store(false);
  tell();
  Overlap::stop();
  if (ProvedHelper* helper = helper_.exchange(nullptr)) {
    helper->stop();
    delete helper;
  }
  Polls::stop();
  // For good: a loop of another thread may be in the middle of a look.
  progress::wait_until([] { return !looking_.exchange(true, std::memory_order_acquire); });
  for (auto& slot : slot_) slot.store(0);
  deferred_.store(0);
  const std::vector<lapwing_token*> left = outstanding();
  for (lapwing_token* token : left) take(token);
  const std::uint64_t until = now_ns() + patience_at_the_end;
  for (bool some = !left.empty(); some && now_ns() < until; sched_yield()) {
    some = false;
    for (lapwing_token* token : left) {
      int done = 1;
      if (token->request != MPI_REQUEST_NULL) test(&token->request, &done, MPI_STATUS_IGNORE);
      some |= done == 0;
    }
  }
  for (lapwing_token* token : left) {
    if (token->request != MPI_REQUEST_NULL && token->receives) cancel(&token->request);
    if (token->request != MPI_REQUEST_NULL && !token->group) request_free(&token->request);
    token->copy = nullptr;  // MPI may read it still
    token->state = State::dropped;
  }
  way_.store(Way::blocking);
}

void Proved::abandon() {
  way_.store(Way::blocking);
  wants_helper_.store(false);
  Overlap::stop();
  if (ProvedHelper* helper = helper_.load()) helper->abandon(progress::patience_at_exit);
}

}  // namespace lapwing::transfer
