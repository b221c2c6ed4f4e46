// SPDX-License-Identifier: Apache-2.0
#include "guard/registry.hpp"

#include <linux/futex.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <climits>

#include "guard/catching.hpp"
#include "guard/dispatch.hpp"
#include "progress/clock.hpp"

namespace lapwing::guard {

std::atomic<int> closed_regions{0};

namespace {

struct Slot {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<RegionBase*> region{nullptr};
  std::atomic<std::uint32_t> readers{0};
};
Slot slots[most_regions];
std::atomic<int> slots_used{0};  // no region beyond this slot

// A stop that lasts: filled by the thread that stops (or by the server of its
// event), settled by the engine when the page opens.
struct Stop {
  enum State : std::uint32_t { free, busy, active };
  std::atomic<std::uint32_t> state{free};
  std::atomic<std::uint32_t> thread{0};
  std::atomic<std::uintptr_t> page{0};
  std::atomic<std::uint64_t> since{0};
  std::atomic<RegionBase*> region{nullptr};

  bool concerns(const RegionBase& r, std::uintptr_t from, std::uintptr_t to) const {
    return region.load() == &r && page.load() >= from && page.load() < to;
  }
};
constexpr int most_stops = 256;  // further ones wait as well, but are not timed
Stop stops[most_stops];
std::atomic<int> active_stops{0};

std::atomic<std::uint32_t> changes{0};  // the futex that waiting threads sleep on
std::atomic<int> sleepers{0};

std::atomic<Demand> demand_call{nullptr};
std::atomic<void*> demand_context{nullptr};

__attribute__((tls_model("initial-exec"))) thread_local bool engine_thread = false;
__attribute__((tls_model("initial-exec"))) thread_local bool waits_for_all = false;

static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(changes) == 4);

void announce_change() {
  changes.fetch_add(1);
  if (sleepers.load() > 0) kernel::call(SYS_futex, &changes, FUTEX_WAKE_PRIVATE, INT_MAX);
}

bool already_stopped(std::uint32_t thread, std::uintptr_t page) {
  if (active_stops.load() == 0) return false;
  return std::any_of(std::begin(stops), std::end(stops), [&](Stop& s) {
    return s.state.load() == Stop::active && s.thread.load() == thread && s.page.load() == page;
  });
}

Stop* enter_stop(RegionBase& region, std::uint32_t thread, std::uintptr_t page) {
  for (Stop& s : stops) {
    std::uint32_t expected = Stop::free;
    if (s.state.load(std::memory_order_relaxed) != Stop::free) continue;
    if (!s.state.compare_exchange_strong(expected, Stop::busy)) continue;
    s.thread = thread;
    s.page = page;
    s.since = progress::now_ns();
    s.region = &region;
    region.waiting.fetch_add(1);
    active_stops.fetch_add(1);
    s.state.store(Stop::active);
    return &s;
  }
  return nullptr;
}

void settle_stop(Stop& s, RegionBase& region, std::uintptr_t from, std::uintptr_t to, std::uint64_t now) {
  std::uint32_t expected = Stop::active;
  if (!s.state.compare_exchange_strong(expected, Stop::busy)) return;
  if (!s.concerns(region, from, to)) {  // entered anew since it was looked at
    s.state.store(Stop::active);
    return;
  }
  region.waited_ns.fetch_add(now - s.since.load());
  region.waiting.fetch_sub(1);
  active_stops.fetch_sub(1);
  s.state.store(Stop::free);
}

void settle_stops(RegionBase& region, std::uintptr_t from, std::uintptr_t to) {
  if (active_stops.load() == 0) return;
  std::uint64_t now = progress::now_ns();
  for (Stop& s : stops)
    if (s.state.load() == Stop::active && s.concerns(region, from, to)) settle_stop(s, region, from, to, now);
}

}  // namespace

RegionBase::RegionBase(char* begin, char* end, bool outgoing) {
  begin_ = begin;
  end_ = end;
  outgoing_ = outgoing;
  assert(begin < end && address_of(begin) % page_size == 0 && address_of(end) % page_size == 0);
  closed_pages_ = static_cast<std::size_t>(end - begin) / page_size;
  open_ = std::make_unique<std::atomic<std::uint64_t>[]>((closed_pages_ + 63) / 64);
}

RegionBase::~RegionBase() { leave_table(); }

bool RegionBase::publish() {
  for (int i = 0; i < most_regions; ++i) {
    Slot& s = slots[i];
    if (s.region.load() || s.readers.load()) continue;
    slot_ = i;
    s.begin.store(address_of(begin_));
    s.end.store(address_of(end_));
    s.region.store(this);
    if (i >= slots_used.load()) slots_used.store(i + 1);
    closed_regions.fetch_add(1);
    changes.fetch_add(1);
    return true;
  }
  return false;
}

void RegionBase::withdraw() {
  if (slot_ < 0) return;
  for (std::size_t i = 0; i < (static_cast<std::size_t>(end_ - begin_) / page_size + 63) / 64; ++i)
    open_[i].store(~std::uint64_t{0});
  closed_pages_ = 0;
  settle_stops(*this, address_of(begin_), address_of(end_));
  leave_table();
  announce_change();
}

void RegionBase::leave_table() {
  if (slot_ < 0) return;
  Slot& s = slots[slot_];
  s.region.store(nullptr);
  s.begin.store(0);
  s.end.store(0);
  if (closed_regions.fetch_sub(1) == 1) dispatch::regions_opened();
  while (s.readers.load() > 0) kernel::call(SYS_sched_yield);
  // A stop that was noted while the last page opened.
  settle_stops(*this, address_of(begin_), address_of(end_));
  int used = slots_used.load();
  while (used > 0 && !slots[used - 1].region.load()) --used;
  slots_used.store(used);
  slot_ = -1;
}

std::uintptr_t RegionBase::next_closed(std::uintptr_t from, std::uintptr_t to) const {
  const std::uintptr_t base = address_of(begin_);
  while (from < to) {
    std::size_t i = (from - base) / page_size;
    std::uint64_t closed_here = ~open_[i / 64].load() >> (i % 64);
    if (closed_here)
      return std::min(to, from + static_cast<unsigned>(__builtin_ctzll(closed_here)) * page_size);
    from = base + (i / 64 + 1) * 64 * page_size;
  }
  return to;
}

void RegionBase::open(char* from_pointer, char* to_pointer) {
  std::uintptr_t to = std::min(address_of(to_pointer), address_of(end_));
  std::uintptr_t at = std::max(address_of(from_pointer), address_of(begin_));
  assert(at % page_size == 0 && to % page_size == 0);
  bool any = false;
  while ((at = next_closed(at, to)) < to) {
    std::uintptr_t run = at;
    while (run < to && closed(run)) run += page_size;
    open_run(pointer_to(at), pointer_to(run));
    for (std::uintptr_t page = at; page < run; page += page_size) {
      std::size_t i = (page - address_of(begin_)) / page_size;
      open_[i / 64].fetch_or(std::uint64_t{1} << (i % 64));
    }
    settle_stops(*this, at, run);
    assert(closed_pages_ >= (run - at) / page_size);
    closed_pages_ -= (run - at) / page_size;
    at = run;
    any = true;
  }
  if (!any) return;
  if (closed_pages_ == 0) {
    finish();
    leave_table();
  }
  announce_change();
}

Hold::Hold(int slot) : slot_(slot) {
  slots[slot].readers.fetch_add(1);
  region_ = slots[slot].region.load();
}

Hold::~Hold() { slots[slot_].readers.fetch_sub(1); }

int find_slot(std::uintptr_t begin, std::uintptr_t end, int slot) {
  for (int n = slots_used.load(); slot < n; ++slot)
    if (slots[slot].begin.load() < end && begin < slots[slot].end.load()) return slot;
  return -1;
}

bool closed_elsewhere(std::uintptr_t page, const RegionBase* except) {
  for (int i = -1; (i = find_slot(page, page + 1, i + 1)) >= 0;) {
    Hold region(i);
    if (region && region.get() != except && page >= address_of(region->begin()) &&
        page < address_of(region->end()) && region->closed(page))
      return true;
  }
  return false;
}

bool meets_region(std::uintptr_t begin, std::uintptr_t end, bool outgoing_too) {
  for (int i = -1; (i = find_slot(begin, end, i + 1)) >= 0;) {
    Hold region(i);
    if (region && (outgoing_too || !region->outgoing())) return true;
  }
  return false;
}

bool note_fault(int slot, std::uintptr_t address, std::uint32_t thread, std::uintptr_t instruction) {
  std::uintptr_t page = page_down(address);
  Hold region(slot);
  if (!region || page < address_of(region->begin()) || page >= address_of(region->end())) return false;
  if (!region->closed(page)) return false;
  if (already_stopped(thread, page)) return true;
  Stop* stop = enter_stop(*region.get(), thread, page);
  if (!region->closed(page)) {
    if (stop) settle_stop(*stop, *region.get(), page, page + page_size, progress::now_ns());
    return false;
  }
  std::uintptr_t none = 0;
  if (region->first_fault.compare_exchange_strong(none, address) && instruction != 0)
    region->first_place.store(instruction);
  region->last_fault.store(address);
  region->wanted_from.store(page);
  region->wanted_to.store(page + page_size);
  region->wanted_since.store(progress::now_ns());
  region->faults.fetch_add(1);  // last: the engine then asks which page it is
  return true;
}

namespace {

// The slot of a region with a closed page in [begin, end); `page` is that page.
int find_closed(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t& page, bool incoming_only = false) {
  for (int i = -1; (i = find_slot(begin, end, i + 1)) >= 0;) {
    Hold region(i);
    if (!region || (incoming_only && region->outgoing())) continue;
    std::uintptr_t from = std::max(page_down(begin), address_of(region->begin()));
    std::uintptr_t to = std::min(page_up(end), address_of(region->end()));
    if (from >= to) continue;
    page = region->next_closed(from, to);
    if (page < to) return i;
  }
  return -1;
}

template <class Done>
void sleep_until(Done done) {
  sleepers.fetch_add(1);
  for (;;) {
    std::uint32_t seen = changes.load();
    if (done()) break;
    kernel::call(SYS_futex, &changes, FUTEX_WAIT_PRIVATE, seen, nullptr);
  }
  sleepers.fetch_sub(1);
}

std::uint32_t this_thread() { return static_cast<std::uint32_t>(kernel::call(SYS_gettid)); }

}  // namespace

void wait_for_page(std::uintptr_t page, int slot) {
  sleep_until([&] {
    Hold region(slot);
    return !region || page < address_of(region->begin()) || page >= address_of(region->end()) ||
           !region->closed(page);
  });
}

// The stack below may be closed itself: an array of a function that has returned
// lay there. It is met here, where this thread keeps no other from opening it, and
// not by the functions that look into the table.
[[gnu::noinline]] void reach_down() {
  [[maybe_unused]] volatile char
      room[2048];  // more than they need, and fits the small stack of a signal handler
  room[0] = 0;
}

bool meets_closed(const void* address, std::size_t length) {
  if (closed_regions.load(std::memory_order_relaxed) == 0 || length == 0) return false;
  if (!engine_thread) reach_down();
  std::uintptr_t ignored, begin = address_of(address);
  std::uintptr_t end = begin + length < begin ? UINTPTR_MAX - page_size : begin + length;
  return find_closed(begin, end, ignored) >= 0;
}

namespace {

void await_pages(const void* address, std::size_t length, bool incoming_only) {
  if (closed_regions.load(std::memory_order_relaxed) == 0 || length == 0 || engine_thread) return;
  reach_down();
  std::uintptr_t page, begin = address_of(address);
  std::uintptr_t end = begin + length < begin ? UINTPTR_MAX - page_size : begin + length;
  int saved = errno;
  for (int slot; (slot = find_closed(begin, end, page, incoming_only)) >= 0;) {
    if (!note_fault(slot, std::max(page, begin), this_thread())) continue;
    {
      Hold region(slot);  // the whole range is wanted, not this page alone
      if (region) region->wanted_to.store(std::min(page_up(end), address_of(region->end())));
    }
    demand_now();
    wait_for_page(page, slot);
  }
  errno = saved;
}

}  // namespace

void await(const void* address, std::size_t length) { await_pages(address, length, false); }
void await_incoming(const void* address, std::size_t length) { await_pages(address, length, true); }

namespace {

bool want_release(std::uintptr_t begin, std::uintptr_t end) {
  bool found = false;
  for (int i = -1; (i = find_slot(begin, end, i + 1)) >= 0;) {
    Hold region(i);
    if (region) region->release_wanted.store(found = true);
  }
  return found;
}

}  // namespace

void await_release(const void* address, std::size_t length) {
  if (closed_regions.load(std::memory_order_relaxed) == 0 || length == 0 || engine_thread) return;
  const std::uintptr_t begin = address_of(address);
  const std::uintptr_t end = begin + length < begin ? UINTPTR_MAX - page_size : begin + length;
  const int saved = errno;
  reach_down();
  // Before it waits as well, so that this wait is not taken for a use of the memory.
  want_release(begin, end);
  await(address, length);
  // Most memory that is given back has no region: that must not wake the helper.
  if (want_release(begin, end)) demand_now();
  sleep_until([&] { return !meets_region(begin, end, true); });
  errno = saved;
}

void await_all() {
  waits_for_all = true;
  await(pointer_to(page_size), UINTPTR_MAX - 2 * page_size);
  waits_for_all = false;
}
bool awaits_all() { return waits_for_all; }

void mark_engine_thread() {
  engine_thread = true;
  dispatch::unwatch_this_thread();
}
bool on_engine_thread() { return engine_thread; }
std::uint32_t generation() { return changes.load(); }

void set_demand(Demand demand, void* context) {
  demand_context.store(context);
  demand_call.store(demand);
}

void demand_now() {
  if (Demand call = demand_call.load()) call(demand_context.load());
}

void forget_all_regions() {
  for (Slot& s : slots) {
    s.region.store(nullptr);
    s.begin.store(0);
    s.end.store(0);
    s.readers.store(0);
  }
  for (Stop& s : stops) s.state.store(Stop::free);
  slots_used.store(0);
  active_stops.store(0);
  sleepers.store(0);
  closed_regions.store(0);
}

}  // namespace lapwing::guard
