// SPDX-License-Identifier: Apache-2.0
#include "guard/guard.hpp"

#include <pthread.h>

#include <mutex>

#include "guard/backend.hpp"
#include "guard/catching.hpp"
#include "guard/devices.hpp"
#include "guard/dispatch.hpp"
#include "guard/hooks.hpp"
#include "guard/memory_kind.hpp"
#include "guard/registry.hpp"

namespace lapwing::guard {

std::atomic<int> holds{0};

void hold() {
  holds.fetch_add(1);
  closed_regions.fetch_add(1);
}

void release() {
  holds.fetch_sub(1);
  if (closed_regions.fetch_sub(1) == 1) dispatch::regions_opened();
}

namespace {

Capability chosen;
bool started = false;
// Held while a region closes and across fork, so that a child never begins
// with a page half closed.
std::mutex gate;

void before_fork() {
  for (;;) {
    await_all();
    gate.lock();
    if (closed_regions.load() == holds.load() || on_engine_thread()) return;
    gate.unlock();
  }
}

void after_fork_in_parent() { gate.unlock(); }

// The child has neither helper thread nor engine: it guards nothing any more.
void after_fork_in_child() {
  gate.unlock();
  if (!started) return;
  detach_hooks();
  forget_all_regions();
  holds.store(0);
  if (chosen.backend == Backend::userfaultfd) uffd::abandon();
  if (chosen.backend == Backend::mprotect) signals::abandon();
  chosen.backend = Backend::none;
  chosen.reason = "this process is the child of a fork";
  started = false;
}

bool wellformed(char* begin, char* end) {
  return begin < end && address_of(begin) % page_size == 0 && address_of(end) % page_size == 0;
}

using Close = std::unique_ptr<Region> (*)(char*, char*);

// An incoming region shares its pages with no other; outgoing ones may overlap.
std::unique_ptr<Region> close_with(Close by_uffd, Close by_signals, char* begin, char* end, bool outgoing) {
  if (!started || !wellformed(begin, end)) return nullptr;
  if (accelerators()) {
    note_accelerators_mattered();
    return nullptr;
  }
  std::lock_guard lock(gate);
  if (meets_region(address_of(begin), address_of(end), !outgoing)) return nullptr;
  return chosen.backend == Backend::userfaultfd ? by_uffd(begin, end) : by_signals(begin, end);
}

}  // namespace

Capability probe(Backend wanted) {
  Capability c;
  if (sysconf(_SC_PAGESIZE) != static_cast<long>(page_size)) {
    c.reason = "the page size of this machine is not 4096 bytes, so nothing is guarded";
    return c;
  }
  uffd::Ability u = uffd::probe();
  signals::Ability s = signals::probe();
  c.syscall_dispatch = s.syscall_dispatch;
  if (wanted != Backend::mprotect && u.usable) {
    c.backend = Backend::userfaultfd;
    c.kernel_faults = true;
    c.move = u.move;
    c.reason = u.reason + (u.move ? "" : "; this kernel has no UFFDIO_MOVE (Linux 6.8), so pages are copied");
    return c;
  }
  if (wanted == Backend::userfaultfd) {
    c.reason = u.reason;
    return c;
  }
  std::string why = wanted == Backend::mprotect ? "mprotect was asked for" : u.reason;
  if (s.usable && (s.syscall_dispatch || wanted == Backend::mprotect)) c.backend = Backend::mprotect;
  c.kernel_faults = c.backend == Backend::mprotect && s.syscall_dispatch;
  c.reason = why + "; " + s.reason;
  return c;
}

namespace {

bool begin(Backend wanted, Demand demand, void* context, bool looks_at_calls) {
  if (started) return chosen.backend != Backend::none;
  chosen = probe(wanted);
  if (chosen.backend == Backend::none || !open_memory_map()) return false;
  set_demand(demand, context);
  bool ok = chosen.backend == Backend::userfaultfd ? uffd::start() : signals::start(looks_at_calls);
  if (!ok) {
    chosen.backend = Backend::none;
    chosen.reason = "the guard could be probed but not started: " + chosen.reason;
    return false;
  }
  static std::once_flag hooked;
  std::call_once(hooked, [] { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); });
  attach_hooks(chosen.backend == Backend::mprotect);
  started = true;
  return true;
}

}  // namespace

bool start(Backend wanted, Demand demand, void* context) { return begin(wanted, demand, context, true); }

bool start_to_catch(Demand demand, void* context) { return begin(Backend::mprotect, demand, context, false); }

void stop() {
  if (!started) return;
  started = false;
  detach_hooks();
  if (chosen.backend == Backend::userfaultfd) uffd::stop();
  if (chosen.backend == Backend::mprotect) signals::stop();
  set_demand(nullptr, nullptr);
  close_memory_map();
}

const Capability& capability() { return chosen; }

std::unique_ptr<Region> close_incoming(char* begin, char* end) {
  return close_with(uffd::close_incoming, signals::close_incoming, begin, end, false);
}

std::unique_ptr<Region> close_outgoing(char* begin, char* end) {
  return close_with(uffd::close_outgoing, signals::close_outgoing, begin, end, true);
}

std::unique_ptr<Region> close_landed(char* begin, char* end) {
  return close_with(uffd::close_landed, signals::close_in_place, begin, end, false);
}

std::unique_ptr<Region> close_in_place(char* begin, char* end) {
  if (chosen.backend != Backend::mprotect) return nullptr;
  return close_with(signals::close_in_place, signals::close_in_place, begin, end, false);
}

int event_fd() { return started && chosen.backend == Backend::userfaultfd ? uffd::descriptor() : -1; }

void serve() {
  if (event_fd() >= 0) uffd::serve();
}

}  // namespace lapwing::guard
