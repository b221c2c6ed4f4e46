// SPDX-License-Identifier: Apache-2.0
// Calls that complete accesses, and those that open and close windows and epochs.
#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "transfer/engine.hpp"
#include "transfer/operations.hpp"
#include "transfer/planted.hpp"
#include "transfer/retire.hpp"
#include "transfer/windows/deferred_accesses.hpp"

namespace lapwing::transfer {
namespace {

bool meets(const Targets& targets, int target) { return !targets || *targets == target; }

}  // namespace

Window* DeferredAccesses::find(MPI_Win win) {
  const auto found = windows_.find(key_of(win));
  return found == windows_.end() ? nullptr : &found->second;
}

DeferredAccesses::Entry* DeferredAccesses::entry_of(std::uint64_t request) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.request == request; });
  return found == entries_.end() ? nullptr : &*found;
}

// All the while that something is pending, every call takes the slow path.
void DeferredAccesses::count_pending() {
  const auto now = static_cast<int>(
      std::count_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.is_pending(); }));
  moving_.store(std::any_of(entries_.begin(), entries_.end(),
                            [](const Entry& entry) { return entry.is_under_way() || entry.promised; }));
  const int before = pending_.exchange(now);
  if (before == 0 && now != 0) guard::hold();
  if (before != 0 && now == 0) guard::release();
}

void DeferredAccesses::charge(std::uint64_t window, Targets targets, std::uint64_t waited) {
  const auto concerns = [&](const Entry& entry) {
    return entry.window == window && meets(targets, entry.target) && !entry.flushed;
  };
  double all = 0;
  for (const Entry& entry : entries_) all += concerns(entry) ? static_cast<double>(entry.bytes) : 0;
  for (Entry& entry : entries_) {
    if (!concerns(entry)) continue;
    entry.exposed +=
        static_cast<std::uint64_t>(static_cast<double>(waited) * static_cast<double>(entry.bytes) / all);
  }
}

void DeferredAccesses::report_ended(Engine& engine) {
  for (auto it = entries_.begin(); it != entries_.end();) {
    if (!it->flushed || it->is_pending()) {
      ++it;
      continue;
    }
    Site& site = *it->site;
    std::uint64_t exposed = it->exposed, here = it->in_call;  // the rest is charged to the other calls
    if (it->pieces) {
      exposed += it->pieces->waited();
      here += it->pieces->waited();
      site.faults += it->pieces->faults();
      site.waited_ns += it->pieces->waited();
      engine.stats.faults += it->pieces->faults();
      it->trial->was_deferred(it->bytes, exposed);
      // MPI's next flush is to complete it.
      const auto window = windows_.find(it->window);
      if (it->access == Access::put && !it->complete && window != windows_.end())
        window->second.begin_put(it->target);
    } else {
      it->trial->went_plainly(it->bytes, exposed);
    }
    ++site.calls;
    site.bytes += it->bytes;
    site.exposed_ns += here;
    engine.stats.exposed_ns += here;
    it = entries_.erase(it);
  }
  count_pending();
}

bool DeferredAccesses::flush(MPI_Win win, Targets targets, Completes what) {
  Engine* const engine = Engine::get();
  if (!engine || !any()) return false;
  DeferredAccesses& self = engine->accesses();
  const std::uint64_t key = key_of(win), begun = now_ns();
  const auto concerns = [&](const Entry& entry) {
    return entry.pieces && entry.window == key && meets(targets, entry.target);
  };
  bool enough = false, whole = false;
  {
    const std::lock_guard lock(engine->mutex());
    const Window* const window = self.find(win);
    if (!window) return false;
    enough = std::any_of(self.entries_.begin(), self.entries_.end(), concerns);
    // MPI is asked to complete its own accesses: then nothing is left to hide.
    whole = window->has_accesses(targets) || (what == Completes::remote && window->has_puts(targets));
  }
  if (!enough) return false;
  engine->drive([&] {
    return std::all_of(self.entries_.begin(), self.entries_.end(), [&](const Entry& entry) {
      return !concerns(entry) || (whole ? entry.pieces->ended() : entry.pieces->edges_ended());
    });
  });
  if (whole) return false;
  const std::lock_guard lock(engine->mutex());
  self.charge(key, targets, now_ns() - begun);
  for (Entry& entry : self.entries_) {
    if (!concerns(entry)) continue;
    entry.flushed = true;
    entry.promised |= what == Completes::remote && entry.access == Access::put && !entry.complete;
  }
  self.report_ended(*engine);
  return true;
}

bool DeferredAccesses::wait(int count, MPI_Request* requests, MPI_Status* statuses, int* rc) {
  Engine* const engine = Engine::get();
  if (!engine || !any() || count <= 0) return false;
  retire_frames();
  retire_for_write(requests, sizeof(MPI_Request) * static_cast<std::size_t>(count));
  if (statuses != MPI_STATUSES_IGNORE && statuses != MPI_STATUS_IGNORE)
    retire_for_write(statuses, sizeof(MPI_Status) * static_cast<std::size_t>(count));
  DeferredAccesses& self = engine->accesses();
  std::vector<std::uint64_t> mine;
  {
    const std::lock_guard lock(engine->mutex());
    for (int i = 0; i < count; ++i) {
      if (requests[i] == MPI_REQUEST_NULL) continue;
      if (!self.entry_of(Requests::key(requests[i]))) return false;
      mine.push_back(Requests::key(requests[i]));
    }
  }
  if (mine.empty()) return false;
  const std::uint64_t begun = now_ns();
  engine->drive([&] {
    return std::all_of(mine.begin(), mine.end(), [&](std::uint64_t key) {
      const Entry* const entry = self.entry_of(key);
      return !entry || !entry->pieces || entry->pieces->edges_ended();
    });
  });
  // Those of deferred accesses are complete.
  *rc = count == 1 ? PMPI_Wait(requests, statuses) : PMPI_Waitall(count, requests, statuses);
  const std::uint64_t took = now_ns() - begun;
  const std::lock_guard lock(engine->mutex());
  for (const std::uint64_t key : mine) {
    Entry* const entry = self.entry_of(key);
    if (!entry) continue;
    entry->exposed += took / mine.size();
    entry->flushed = true;
    entry->request = 0;
  }
  self.report_ended(*engine);
  return true;
}

void DeferredAccesses::retire() {
  Engine* const engine = Engine::get();
  if (!engine || !any() || planted::is(planted::unretired_access)) return;
  DeferredAccesses& self = engine->accesses();
  {
    const std::lock_guard lock(engine->mutex());
    const auto sharers = static_cast<std::size_t>(std::count_if(
        self.entries_.begin(), self.entries_.end(), [](const Entry& entry) { return entry.is_under_way(); }));
    for (Entry& entry : self.entries_) {
      if (!entry.is_under_way()) continue;
      entry.stalls_since = now_ns();
      entry.sharers = sharers;
    }
  }
  engine->drive([&] { return self.ended(); });
  self.keep_promises(*engine);
}

void DeferredAccesses::keep_promises(Engine& engine) {
  std::unique_lock lock(engine.mutex());
  // The engine does not see how the program completes its requests from here on.
  for (Entry& entry : entries_) {
    entry.flushed |= entry.request != 0;
    entry.request = 0;
  }
  report_ended(engine);
  const auto is_promised = [](const Entry& entry) { return entry.promised && !entry.is_under_way(); };
  for (;;) {
    const auto next = std::find_if(entries_.begin(), entries_.end(), is_promised);
    if (next == entries_.end()) return;
    const std::uint64_t key = next->window, begun = now_ns();
    const int target = next->target;
    const auto window = windows_.find(key);
    const MPI_Win win = window == windows_.end() ? MPI_WIN_NULL : window->second.handle();
    // Not under the lock: the target may need this process' helper.
    lock.unlock();
    if (win != MPI_WIN_NULL) PMPI_Win_flush(target, win);
    lock.lock();
    const std::uint64_t took = now_ns() - begun;
    for (Entry& entry : entries_) {
      if (entry.window != key || entry.target != target || !entry.promised || entry.is_under_way()) continue;
      entry.exposed += took;
      entry.promised = false;
      entry.complete = true;
    }
    report_ended(engine);
  }
}

void DeferredAccesses::made(MPI_Win win, MPI_Comm comm) {
  Engine* const engine = Engine::get();
  if (!engine || !allowed_) return;
  std::optional<Window> window = Window::look_at(win, comm);
  const std::lock_guard lock(engine->mutex());
  engine->accesses().exposed_.add(key_of(win), win);
  if (window) engine->accesses().windows_.insert_or_assign(key_of(win), std::move(*window));
}

void DeferredAccesses::attached(MPI_Win win, const void* base, MPI_Aint bytes) {
  Engine* const engine = Engine::get();
  if (!engine || bytes <= 0) return;
  const std::lock_guard lock(engine->mutex());
  engine->accesses().exposed_.add(key_of(win), base, static_cast<std::size_t>(bytes));
}

void DeferredAccesses::detached(MPI_Win win, const void* base) {
  Engine* const engine = Engine::get();
  if (!engine) return;
  const std::lock_guard lock(engine->mutex());
  engine->accesses().exposed_.remove(key_of(win), base);
}

void DeferredAccesses::freed(MPI_Win win) {
  Engine* const engine = Engine::get();
  if (!engine) return;
  const std::lock_guard lock(engine->mutex());
  DeferredAccesses& self = engine->accesses();
  for (Entry& entry : self.entries_) entry.flushed |= entry.window == key_of(win);
  self.report_ended(*engine);
  self.windows_.erase(key_of(win));
  self.exposed_.remove(key_of(win));
}

void DeferredAccesses::locked(MPI_Win win, Targets targets) {
  Engine* const engine = Engine::get();
  if (!engine) return;
  const std::lock_guard lock(engine->mutex());
  if (Window* const window = engine->accesses().find(win)) window->lock(targets);
}

void DeferredAccesses::synchronised(MPI_Win win, Targets targets, Completes what, std::uint64_t took) {
  Engine* const engine = Engine::get();
  if (!engine) return;
  const std::lock_guard lock(engine->mutex());
  DeferredAccesses& self = engine->accesses();
  Window* const window = self.find(win);
  if (!window) return;
  const std::uint64_t key = key_of(win);
  self.charge(key, targets, took);
  for (Entry& entry : self.entries_) {
    if (entry.window != key || !meets(targets, entry.target)) continue;
    entry.flushed |= entry.request == 0;
    if (what != Completes::local && !entry.is_under_way()) {
      entry.promised = false;
      entry.complete = true;
    }
  }
  self.report_ended(*engine);
  if (what == Completes::epoch)
    window->unlock(targets);
  else if (what == Completes::remote)
    window->end_accesses(targets);
  else
    window->end_gets(targets);
}

void DeferredAccesses::accessed(MPI_Win win, int target, bool changes) {
  Engine* const engine = Engine::get();
  if (!engine) return;
  const std::lock_guard lock(engine->mutex());
  Window* const window = engine->accesses().find(win);
  if (window) changes ? window->begin_change(target) : window->begin_get(target);
}

}  // namespace lapwing::transfer
