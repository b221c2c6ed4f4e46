// SPDX-License-Identifier: Apache-2.0
#include "transfer/windows/deferred_gets.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "transfer/engine.hpp"
#include "transfer/operations.hpp"
#include "transfer/planted.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::transfer {
namespace {

// A strip of a get is a message of its own to the target, which answers each.
constexpr std::size_t largest_strip = 64 << 10;

// A handle is an int in MPICH, a pointer in Open MPI: only the C cast makes both.
std::uint64_t key_of(MPI_Win win) { return (std::uint64_t)(std::uintptr_t)(win); }

bool meets(const Targets& targets, int target) { return !targets || *targets == target; }

// Behind a displacement, the bytes that the get reads at its target: nothing where they are not one run.
std::optional<std::size_t> offset_at_target(const GetArguments& a) {
  // Only its distance from the base is asked for.
  alignas(16) static char base[1];
  const char* const begin = contiguous_base(base, a.target_count, a.target_type);
  if (!begin || begin < base) return std::nullopt;
  return static_cast<std::size_t>(begin - base);
}

// MPI must not meet a closed page: where the bytes go, and in this process' own memory if they come from
// there.
void make_way(const GetArguments& a) {
  int me = 0;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Win_get_group(a.win, &group);
  PMPI_Group_rank(group, &me);
  PMPI_Group_free(&group);
  if (a.target == me) return DeferredGets::retire();
  const Span span = buffer_span(a.buffer, a.count, a.type);
  retire_for_write(span.begin, span.length);
}

StripSizes sizes_for(const Engine& engine, const Site& site, int world_rank) {
  const Hints hints = hints_of_this_thread().over(site.hints);
  const Settings& settings = engine.settings();
  const Direction direction = hints.order                     ? *hints.order
                              : settings.order == Order::down ? Direction::down
                                                              : Direction::up;
  const std::size_t first = hints.first != 0 ? hints.first : engine.sizes_to(world_rank).first;
  const std::size_t largest = hints.largest != 0      ? hints.largest
                              : settings.strips_given ? settings.strip_largest
                                                      : std::max(settings.strip_largest, largest_strip);
  return {first, std::max(first, largest), direction};
}

}  // namespace

std::uint64_t DeferredGets::clock() { return now_ns(); }

Window* DeferredGets::find(MPI_Win win) {
  const auto found = windows_.find(key_of(win));
  return found == windows_.end() ? nullptr : &found->second;
}

bool DeferredGets::can_defer(Engine& engine, const GetArguments& a, const Window& window,
                             std::size_t bytes) const {
  const int world_rank = window.world_rank(a.target);
  if (!engine.may_defer_receives() || engine.never_strips(world_rank) || world_rank == engine.world_rank())
    return false;
  if (bytes < engine.sizes_to(world_rank).guard || bytes > INT_MAX) return false;
  char* const to = contiguous_base(a.buffer, a.count, a.type);
  const auto offset = offset_at_target(a);
  if (!to || !offset || *offset % window.unit() != 0 ||
      payload_bytes(a.target_count, a.target_type) != bytes || !Fetch::can_be_cut(to, bytes, window.unit()))
    return false;
  return !engine.sends_from(to, to + bytes) && !engine.requests().posted().meets({to, bytes});
}

int DeferredGets::start(const GetArguments& a, Caller caller, bool* mine) {
  Engine* const engine = Engine::get();
  if (!engine) return MPI_SUCCESS;
  if (any()) make_way(a);
  int rc = MPI_SUCCESS;
  {
    const std::lock_guard lock(engine->mutex());
    rc = engine->gets().begin(*engine, a, caller, mine);
  }
  if (rc == MPI_SUCCESS) return rc;
  // MPI has refused a piece, and an error handler has heard of it: MPI is to refuse the whole get, once the
  // pieces that had been started have landed.
  retire();
  *mine = false;
  return MPI_SUCCESS;
}

int DeferredGets::begin(Engine& engine, const GetArguments& a, Caller caller, bool* mine) {
  const Window* const window = find(a.win);
  const std::size_t bytes = payload_bytes(a.count, a.type);
  if (!window || !window->has(a.target) || !window->is_locked(a.target) ||
      !can_defer(engine, a, *window, bytes))
    return MPI_SUCCESS;
  GetTrial& trial = trials_[caller.address];
  if (engine.settings().defer != Defer::on && !engine.settings().restless() && !trial.defers(now_ns()))
    return MPI_SUCCESS;
  Site& site = engine.sites().at(caller.address, caller.name);
  const std::uint64_t begun = now_ns();
  char* const to = contiguous_base(a.buffer, a.count, a.type);
  auto fetch =
      Fetch::begin(to, bytes, {a.win, a.target, a.displacement, window->unit(), *offset_at_target(a)},
                   sizes_for(engine, site, window->world_rank(a.target)));
  if (!fetch) return MPI_SUCCESS;
  *mine = true;
  const int rc = fetch->error();
  ++engine.stats.deferred_receives;
  engine.stats.bytes_deferred += bytes;
  engine.note_strips(fetch->strips());
  ++site.deferred;
  if (!fetch->landed()) ++under_way_;
  gets_.push_back({key_of(a.win), a.target, bytes, &site, &trial, std::move(fetch)});
  gets_.back().begun = begun;
  gets_.back().in_call = gets_.back().exposed = now_ns() - begun;
  engine.wake_helper();
  return rc;
}

void DeferredGets::note_plain(const GetArguments& a, Caller caller, std::uint64_t took) {
  Engine* const engine = Engine::get();
  if (!engine) return;
  const std::lock_guard lock(engine->mutex());
  DeferredGets& self = engine->gets();
  Window* const window = self.find(a.win);
  if (!window || !window->has(a.target)) return;
  window->begin_get(a.target);
  const std::size_t bytes = payload_bytes(a.count, a.type);
  if (!window->is_locked(a.target) || !self.can_defer(*engine, a, *window, bytes)) return;
  Site& site = engine->sites().at(caller.address, caller.name);
  site.went_plain(PlainCause::watched);
  self.gets_.push_back({key_of(a.win), a.target, bytes, &site, &self.trials_[caller.address], nullptr});
  self.gets_.back().in_call = self.gets_.back().exposed = took;
}

void DeferredGets::charge(std::uint64_t window, Targets targets, std::uint64_t waited) {
  const auto concerns = [&](const Get& get) {
    return get.window == window && meets(targets, get.target) && !get.flushed;
  };
  double all = 0;
  for (const Get& get : gets_) all += concerns(get) ? static_cast<double>(get.bytes) : 0;
  for (Get& get : gets_) {
    if (!concerns(get)) continue;
    get.exposed +=
        static_cast<std::uint64_t>(static_cast<double>(waited) * static_cast<double>(get.bytes) / all);
  }
}

void DeferredGets::report_ended(Engine& engine) {
  for (auto it = gets_.begin(); it != gets_.end();) {
    if (!it->flushed || it->is_under_way()) {
      ++it;
      continue;
    }
    Site& site = *it->site;
    std::uint64_t exposed = it->exposed, here = it->in_call;  // the rest is charged to the other calls
    if (it->fetch) {
      exposed += it->fetch->waited();
      here += it->fetch->waited();
      site.faults += it->fetch->faults();
      site.waited_ns += it->fetch->waited();
      engine.stats.faults += it->fetch->faults();
      it->trial->was_deferred(it->bytes, exposed);
    } else {
      it->trial->went_plainly(it->bytes, exposed);
    }
    ++site.calls;
    site.bytes += it->bytes;
    site.exposed_ns += here;
    engine.stats.exposed_ns += here;
    it = gets_.erase(it);
  }
}

bool DeferredGets::flush(MPI_Win win, Targets targets) {
  Engine* const engine = Engine::get();
  if (!engine || !any()) return false;
  DeferredGets& self = engine->gets();
  const std::uint64_t key = key_of(win), begun = now_ns();
  const auto concerns = [&](const Get& get) {
    return get.fetch && get.window == key && meets(targets, get.target);
  };
  bool enough = false, whole = false;
  {
    const std::lock_guard lock(engine->mutex());
    const Window* const window = self.find(win);
    if (!window) return false;
    enough = std::any_of(self.gets_.begin(), self.gets_.end(), concerns);
    // MPI is asked to complete its own accesses: then nothing is left to hide.
    whole = window->has_accesses(targets);
  }
  if (!enough) return false;
  engine->drive([&] {
    return std::all_of(self.gets_.begin(), self.gets_.end(), [&](const Get& get) {
      return !concerns(get) || (whole ? get.fetch->landed() : get.fetch->edges_landed());
    });
  });
  if (whole) return false;
  const std::lock_guard lock(engine->mutex());
  self.charge(key, targets, now_ns() - begun);
  for (Get& get : self.gets_) get.flushed |= concerns(get);
  self.report_ended(*engine);
  return true;
}

void DeferredGets::retire() {
  Engine* const engine = Engine::get();
  if (!engine || !any() || planted::is(planted::unretired_get)) return;
  DeferredGets& self = engine->gets();
  {
    const std::lock_guard lock(engine->mutex());
    const auto sharers = static_cast<std::size_t>(std::count_if(
        self.gets_.begin(), self.gets_.end(), [](const Get& get) { return get.is_under_way(); }));
    for (Get& get : self.gets_) {
      if (!get.is_under_way()) continue;
      get.stalls_since = now_ns();
      get.sharers = sharers;
    }
  }
  engine->drive([&] { return self.landed(); });
}

void DeferredGets::made(MPI_Win win, MPI_Comm comm) {
  Engine* const engine = Engine::get();
  if (!engine || !allowed_) return;
  std::optional<Window> window = Window::look_at(win, comm);
  if (!window) return;
  const std::lock_guard lock(engine->mutex());
  engine->gets().windows_.insert_or_assign(key_of(win), std::move(*window));
}

void DeferredGets::freed(MPI_Win win) {
  Engine* const engine = Engine::get();
  if (!engine) return;
  const std::lock_guard lock(engine->mutex());
  DeferredGets& self = engine->gets();
  for (Get& get : self.gets_) get.flushed |= get.window == key_of(win);
  self.report_ended(*engine);
  self.windows_.erase(key_of(win));
}

void DeferredGets::locked(MPI_Win win, Targets targets) {
  Engine* const engine = Engine::get();
  if (!engine) return;
  const std::lock_guard lock(engine->mutex());
  if (Window* const window = engine->gets().find(win)) window->lock(targets);
}

void DeferredGets::synchronised(MPI_Win win, Targets targets, Completes what, std::uint64_t took) {
  Engine* const engine = Engine::get();
  if (!engine) return;
  const std::lock_guard lock(engine->mutex());
  DeferredGets& self = engine->gets();
  Window* const window = self.find(win);
  if (!window) return;
  if (what == Completes::epoch)
    window->unlock(targets);
  else if (what == Completes::remote)
    window->end_accesses(targets);
  else
    window->end_gets(targets);
  const std::uint64_t key = key_of(win);
  self.charge(key, targets, took);
  for (Get& get : self.gets_) get.flushed |= get.window == key && meets(targets, get.target);
  self.report_ended(*engine);
}

void DeferredGets::accessed(MPI_Win win, int target, bool changes) {
  Engine* const engine = Engine::get();
  if (!engine) return;
  const std::lock_guard lock(engine->mutex());
  Window* const window = engine->gets().find(win);
  if (window) changes ? window->begin_change(target) : window->begin_get(target);
}

bool DeferredGets::advance(Engine& engine) {
  if (!any()) return false;
  bool moved = false;
  for (Get& get : gets_) {
    if (!get.is_under_way()) continue;
    moved |= get.fetch->advance();
    if (!get.fetch->landed()) continue;
    --under_way_;
    const std::uint64_t now = now_ns();
    get.site->transfer_ns += now - get.begun;
    if (get.stalls_since != 0) get.exposed += (now - get.stalls_since) / get.sharers;
  }
  if (moved) report_ended(engine);
  return moved;
}

bool DeferredGets::fills(const char* from, const char* to) const {
  return std::any_of(gets_.begin(), gets_.end(), [&](const Get& get) {
    const guard::Region* const region = get.fetch ? get.fetch->region() : nullptr;
    return region && region->begin() < to && from < region->end() &&
           guard::meets_closed(from, static_cast<std::size_t>(to - from));
  });
}

bool DeferredGets::landed() const {
  return std::none_of(gets_.begin(), gets_.end(), [](const Get& get) { return get.is_under_way(); });
}

bool DeferredGets::somebody_waits() const {
  return std::any_of(gets_.begin(), gets_.end(), [](const Get& get) {
    const guard::Region* const region = get.fetch ? get.fetch->region() : nullptr;
    return region && region->waiting.load(std::memory_order_relaxed) != 0;
  });
}

int DeferredGets::closed_regions() const {
  return static_cast<int>(std::count_if(gets_.begin(), gets_.end(), [](const Get& get) {
    return get.fetch && get.fetch->region() != nullptr;
  }));
}

}  // namespace lapwing::transfer
