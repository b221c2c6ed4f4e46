// SPDX-License-Identifier: Apache-2.0
#include "progress/helper.hpp"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>

#include "progress/locks.hpp"
#include "progress/signals_blocked.hpp"

namespace lapwing::progress {

// The thread, and what it looks at.
struct Helper {
  static constexpr int most = 8;
  using Slot = Polled::Slot;

  static void* run(void* self);
  void look_at(Slot& slot, Polled& polled);
  void sleep();
  std::uint64_t earliest() const;
  void ring();
  bool is_here() const { return process == getpid(); }
  bool have_thread() LAPWING_REQUIRES(membership);
  void end_thread() LAPWING_REQUIRES(membership);

  OwnedMutex membership;
  int members LAPWING_GUARDED_BY(membership) = 0;
  pthread_t thread{};
  pid_t process = 0;
  // Never closed: a wake-up may be about to write to it.
  std::atomic<int> wake_descriptor{-1};
  std::atomic<bool> sleeps{false}, ends{false};
  std::atomic<std::uint64_t> rounds{0};
  cpu_set_t place LAPWING_GUARDED_BY(membership){};  // empty: where its maker runs
  Slot slots[most];
};

namespace {

constinit Helper helper;

// Work of a few microseconds at a time wants to run when it wakes, not at the end
// of a computing thread's slice. Kernels before 6.12 ignore the wish.
void ask_for_short_slices() {
  struct {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
  } wish{};
  wish.size = sizeof wish;
  wish.runtime = 100'000;
  wish.nice = getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
  syscall(SYS_sched_setattr, 0, &wish, 0);
}

}  // namespace

void* Helper::run(void*) {
  prctl(PR_SET_TIMERSLACK, 1);
  ask_for_short_slices();
  pthread_setname_np(pthread_self(), "lapwing");
  while (!helper.ends.load()) {
    helper.rounds.fetch_add(1);
    const std::uint64_t now = now_ns();
    for (Slot& slot : helper.slots) {
      Polled* const polled = slot.polled.load();
      if (polled && slot.due.load() <= now) helper.look_at(slot, *polled);
    }
    helper.sleep();
  }
  return nullptr;
}

void Helper::look_at(Slot& slot, Polled& polled) {
  if (!slot.begun) polled.begin();
  slot.begun = true;
  const bool woken = slot.due.exchange(Polled::looking) == Polled::woken;
  const std::int64_t pause = polled.look(woken);
  const std::uint64_t due =
      pause == Polled::until_woken ? Polled::never : now_ns() + static_cast<std::uint64_t>(pause);
  // Only a look that found nothing to wait for may have been too early for a wake-up.
  if (slot.due.exchange(due) == Polled::woken_meanwhile && pause == Polled::until_woken)
    slot.due.store(Polled::woken);
  if (pause == 0) sched_yield();
}

std::uint64_t Helper::earliest() const {
  std::uint64_t first = Polled::never;
  for (const Slot& slot : slots) {
    if (slot.polled.load()) first = std::min(first, slot.due.load());
  }
  return first;
}

void Helper::sleep() {
  pollfd descriptors[1 + most] = {{wake_descriptor.load(), POLLIN, 0}};
  Slot* owners[1 + most] = {};
  nfds_t count = 1;
  for (Slot& slot : slots) {
    const int descriptor = slot.polled.load() ? slot.descriptor.load() : -1;
    if (descriptor < 0) continue;
    owners[count] = &slot;
    descriptors[count++] = {descriptor, POLLIN, 0};
  }
  // A wake-up that did not see `sleeps` is seen here.
  sleeps.store(true);
  const std::uint64_t due = earliest(), now = now_ns();
  if (due > now && !ends.load()) {
    const timespec time =
        timespec_of(static_cast<std::int64_t>(std::min<std::uint64_t>(due - now, INT64_MAX)));
    ppoll(descriptors, count, due == Polled::never ? nullptr : &time, nullptr);
  }
  sleeps.store(false);
  std::uint64_t wakes;
  if ((descriptors[0].revents & POLLIN) && read(descriptors[0].fd, &wakes, sizeof wakes) < 0) return;
  for (nfds_t i = 1; i < count; ++i) {
    if (!(descriptors[i].revents & POLLIN)) continue;
    if (Polled* const polled = owners[i]->polled.load()) polled->serve();
    owners[i]->due.store(Polled::woken);
  }
}

void Helper::ring() {
  const std::uint64_t one = 1;
  if (write(wake_descriptor.load(), &one, sizeof one) < 0) return;  // full: it is awake already
}

// In a child of the process that had the thread, all begins anew.
bool Helper::have_thread() {
  if (members > 0 && is_here()) return true;
  for (Slot& slot : slots) {
    slot.polled.store(nullptr);
    slot.taken = false;
  }
  members = 0;
  if (!is_here()) wake_descriptor.store(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (wake_descriptor.load() < 0) return false;
  process = getpid();
  sleeps.store(false);
  const SignalsBlocked blocked;
  if (pthread_create(&thread, nullptr, run, nullptr) != 0) return false;
  if (CPU_COUNT(&place) > 0) pthread_setaffinity_np(thread, sizeof place, &place);
  return true;
}

void Helper::end_thread() {
  ends.store(true);
  ring();
  pthread_join(thread, nullptr);
  ends.store(false);
}

void place_helper(const cpu_set_t& processors) {
  const Holding lock(helper.membership);
  helper.place = processors;
  if (helper.members > 0 && helper.is_here())
    pthread_setaffinity_np(helper.thread, sizeof processors, &processors);
}

bool Polled::start(int descriptor) {
  assert(!slot_.load());
  const Holding lock(helper.membership);
  if (!helper.have_thread()) return false;
  Slot* const slot = std::find_if(std::begin(helper.slots), std::end(helper.slots),
                                  [](const Slot& each) { return !each.taken; });
  assert(slot != std::end(helper.slots));
  slot->taken = true;
  slot->begun = false;
  slot->descriptor.store(descriptor);
  slot->due.store(woken);
  ++helper.members;
  slot->polled.store(this);
  slot_.store(slot);
  helper.ring();
  return true;
}

void Polled::leave(std::uint64_t patience, bool exits) {
  const Holding lock(helper.membership);
  Slot* const slot = slot_.exchange(nullptr);
  if (!slot) return;
  slot->polled.store(nullptr);
  if (!helper.is_here() || pthread_equal(pthread_self(), helper.thread)) return;
  // Another round sees the slot empty, and has left what it did before.
  const std::uint64_t round = helper.rounds.load(), begun = now_ns();
  helper.ring();
  wait_until([&] { return helper.rounds.load() != round || now_ns() - begun > patience; });
  if (exits) return;
  slot->taken = false;
  if (--helper.members == 0) helper.end_thread();
}

void Polled::stop() { leave(UINT64_MAX, false); }
void Polled::abandon(std::uint64_t patience) { leave(patience, true); }
Polled::~Polled() { assert(!slot_.load()); }

void Polled::wake_within(std::uint64_t soon) {
  Slot* const slot = slot_.load(std::memory_order_acquire);
  if (!slot) return;
  const std::uint64_t due = slot->due.load();
  if (due != woken && (soon == 0 || due <= woken_meanwhile || due > now_ns() + soon)) wake_up(*slot);
}

void Polled::wake_up(Slot& slot) {
  std::uint64_t due = slot.due.load();
  do {
    if (due == woken || due == woken_meanwhile) return;
  } while (!slot.due.compare_exchange_weak(due, due == looking ? woken_meanwhile : woken));
  if (due != looking && helper.sleeps.load()) helper.ring();
}

}  // namespace lapwing::progress
