// SPDX-License-Identifier: Apache-2.0
#include "transfer/windows/deferred_accesses.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "transfer/engine.hpp"
#include "transfer/operations.hpp"
#include "transfer/planted.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::transfer {
namespace {

// A strip is a message of its own to the target, which answers each.
constexpr std::size_t largest_strip = 64 << 10;

// Behind a displacement, the bytes of the access at its target: nothing where they are not one run.
std::optional<std::size_t> offset_at_target(const AccessArguments& a) {
  // Only its distance from the base is asked for.
  alignas(16) static char base[1];
  const char* const begin = contiguous_base(base, a.target_count, a.target_type);
  if (!begin || begin < base) return std::nullopt;
  return static_cast<std::size_t>(begin - base);
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

std::uint64_t DeferredAccesses::clock() { return now_ns(); }

// Whether the call must wait for accesses that are under way: for all if it is noticed by another process, or
// is to see what a promised put has written.
bool DeferredAccesses::must_precede(const AccessArguments& a) {
  const Window* const window = find(a.win);
  const int me = Engine::get()->world_rank();
  const int target = window && window->has(a.target) ? window->world_rank(a.target) : me;
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    if (entry.access == Access::get) return entry.is_under_way() && (a.access == Access::put || target == me);
    if (!entry.promised) return false;
    const auto there = windows_.find(entry.window);
    return a.access == Access::put || target == me || there == windows_.end() ||
           there->second.world_rank(entry.target) == target;
  });
}

// MPI must not meet a closed page: where the bytes go, and in this process' own memory if they come from
// there.
void DeferredAccesses::make_way(const AccessArguments& a) {
  Engine* const engine = Engine::get();
  std::unique_lock lock(engine->mutex());
  const bool all = engine->accesses().must_precede(a);
  lock.unlock();
  if (all) retire();
  if (a.access == Access::put) return;  // which only reads: no other region closes its source to that
  const Span span = buffer_span(a.buffer, a.count, a.type);
  retire_for_write(span.begin, span.length);
}

bool DeferredAccesses::can_defer(Engine& engine, const AccessArguments& a, const Window& window,
                                 std::size_t bytes) const {
  const int world_rank = window.world_rank(a.target);
  if (!engine.may_defer_receives() || engine.never_strips(world_rank) || world_rank == engine.world_rank())
    return false;
  if (bytes < engine.sizes_to(world_rank).guard || bytes > INT_MAX) return false;
  char* const here = contiguous_base(a.buffer, a.count, a.type);
  const auto offset = offset_at_target(a);
  if (!here || !offset || *offset % window.unit() != 0 ||
      payload_bytes(a.target_count, a.target_type) != bytes ||
      !Pieces::can_be_cut(here, bytes, window.unit()))
    return false;
  return !exposed_.meets(here, here + bytes) && !engine.requests().posted().meets({here, bytes}) &&
         (a.access == Access::put || !engine.sends_from(here, here + bytes));
}

int DeferredAccesses::start(const AccessArguments& a, Caller caller, bool* mine) {
  Engine* const engine = Engine::get();
  if (!engine) return MPI_SUCCESS;
  if (any()) make_way(a);
  int rc = MPI_SUCCESS;
  {
    const std::lock_guard lock(engine->mutex());
    rc = engine->accesses().begin(*engine, a, caller, mine);
  }
  if (rc == MPI_SUCCESS) return rc;
  // MPI has refused a piece, and an error handler has heard of it: MPI is to refuse the whole access, once
  // the pieces that had been started have ended.
  retire();
  *mine = false;
  return MPI_SUCCESS;
}

int DeferredAccesses::begin(Engine& engine, const AccessArguments& a, Caller caller, bool* mine) {
  const Window* const window = find(a.win);
  const std::size_t bytes = payload_bytes(a.count, a.type);
  if (!window || !window->has(a.target) || !window->is_locked(a.target) ||
      !can_defer(engine, a, *window, bytes))
    return MPI_SUCCESS;
  AccessTrial& trial = trials_[caller.address];
  if (engine.settings().defer != Defer::on && !engine.settings().restless() && !trial.defers(now_ns()))
    return MPI_SUCCESS;
  Site& site = engine.sites().at(caller.address, caller.name);
  const std::uint64_t begun = now_ns();
  char* const here = contiguous_base(a.buffer, a.count, a.type);
  auto pieces = Pieces::begin(a.access, here, bytes,
                              {a.win, a.target, a.displacement, window->unit(), *offset_at_target(a)},
                              sizes_for(engine, site, window->world_rank(a.target)));
  if (!pieces) return MPI_SUCCESS;
  *mine = true;
  const int rc = pieces->error();
  ++(a.access == Access::get ? engine.stats.deferred_receives : engine.stats.deferred_sends);
  engine.stats.bytes_deferred += bytes;
  engine.note_strips(pieces->strips());
  ++site.deferred;
  entries_.push_back({a.access, key_of(a.win), a.target, bytes, &site, &trial, std::move(pieces)});
  Entry& entry = entries_.back();
  if (rc != MPI_SUCCESS) {
    entry.flushed = true;
  } else if (a.request) {
    *a.request = engine.mint_request();
    entry.request = Requests::key(*a.request);
  }
  entry.begun = begun;
  entry.in_call = entry.exposed = now_ns() - begun;
  count_pending();
  engine.wake_helper();
  return rc;
}

void DeferredAccesses::note_plain(const AccessArguments& a, Caller caller, std::uint64_t took) {
  Engine* const engine = Engine::get();
  if (!engine) return;
  const std::lock_guard lock(engine->mutex());
  DeferredAccesses& self = engine->accesses();
  Window* const window = self.find(a.win);
  if (!window || !window->has(a.target)) return;
  a.access == Access::get ? window->begin_get(a.target) : window->begin_change(a.target);
  const std::size_t bytes = payload_bytes(a.count, a.type);
  if (!window->is_locked(a.target) || !self.can_defer(*engine, a, *window, bytes)) return;
  Site& site = engine->sites().at(caller.address, caller.name);
  site.went_plain(PlainCause::watched);
  self.entries_.push_back(
      {a.access, key_of(a.win), a.target, bytes, &site, &self.trials_[caller.address], nullptr});
  Entry& entry = self.entries_.back();
  // Its wait tells how long the program stands still for it.
  if (a.request && *a.request != MPI_REQUEST_NULL) entry.request = Requests::key(*a.request);
  entry.in_call = entry.exposed = took;
  self.count_pending();
}

bool DeferredAccesses::advance(Engine& engine) {
  if (!moving()) return false;
  bool moved = false, under_way = false;
  for (Entry& entry : entries_) {
    if (!entry.is_under_way()) continue;
    under_way = true;
    moved |= entry.pieces->advance();
    if (!entry.pieces->ended()) continue;
    const std::uint64_t now = now_ns();
    entry.site->transfer_ns += now - entry.begun;
    if (entry.stalls_since != 0) entry.exposed += (now - entry.stalls_since) / entry.sharers;
    entry.stalls_since = 0;
  }
  // MPI may still have bytes of a put that have left the program's memory: a process that waits for them in
  // its own memory is to find them.
  if (!under_way) engine.control().progress();
  if (moved) report_ended(engine);
  return moved;
}

bool DeferredAccesses::fills(const char* from, const char* to) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    const guard::Region* const region = entry.pieces ? entry.pieces->region() : nullptr;
    return region && !region->outgoing() && region->begin() < to && from < region->end() &&
           guard::meets_closed(from, static_cast<std::size_t>(to - from));
  });
}

bool DeferredAccesses::ended() const {
  return std::none_of(entries_.begin(), entries_.end(),
                      [](const Entry& entry) { return entry.is_under_way(); });
}

bool DeferredAccesses::somebody_waits() const {
  return std::any_of(entries_.begin(), entries_.end(), [](const Entry& entry) {
    const guard::Region* const region = entry.pieces ? entry.pieces->region() : nullptr;
    return region && region->waiting.load(std::memory_order_relaxed) != 0;
  });
}

int DeferredAccesses::closed_regions() const {
  const auto regions = std::count_if(entries_.begin(), entries_.end(), [](const Entry& entry) {
    return entry.pieces && entry.pieces->region() != nullptr;
  });
  return static_cast<int>(regions) + (any() ? 1 : 0);
}

}  // namespace lapwing::transfer
