// SPDX-License-Identifier: Apache-2.0
#include "tasks/slots.hpp"

#include <fmt/format.h>
#include <lapwing/tasks/errors.hpp>
#include <lapwing/tasks/program.hpp>

#include <sched.h>

#include <algorithm>
#include <mutex>
#include <system_error>
#include <utility>

#include "progress/waiting.hpp"
#include "tasks/ranks/ranks.hpp"
#include "tasks/runtime.hpp"
#include "tasks/thread_pointer.hpp"

namespace lapwing::tasks {

namespace {

using ThisCarrier = ThreadPointer<Carrier>;

}  // namespace

Slots::Slots(Runtime& runtime, int spare) : runtime_(runtime), most_outside_(spare) {
  // A thread is made only for a slot that is given away: its giver is outside, as are at most so many.
  carriers_.reserve(runtime.workers.size() + static_cast<std::size_t>(spare) + 2);
}

Carrier& Slots::add() {
  carriers_.push_back(std::make_unique<Carrier>(runtime_));
  Carrier& added = *carriers_.back();
  added.guest.native = &added.native;
  count_.store(carriers_.size(), std::memory_order_release);
  return added;
}

void Slots::adopt_main(Task& main) {
  const progress::Holding lock(mutex_);
  Carrier& me = add();
  ThisCarrier::here() = &me;
  me.guest.adopt_as_self();
  me.guest.current = &main;
  me.slot = runtime_.workers[0].get();
}

void Slots::start() {
  const progress::Holding lock(mutex_);
  for (std::size_t i = 1; i < runtime_.workers.size(); ++i) {
    Carrier& added = add();
    added.slot = runtime_.workers[i].get();
    added.thread = std::thread([this, &added] { carry(added); });
  }
}

void Slots::stop() {
  {
    const progress::Holding lock(mutex_);
    stopping_ = true;
    for (const auto& carrier : carriers_) carrier->wakes.notify_all();
  }
  for (const auto& carrier : carriers_) {
    if (carrier->thread.joinable()) carrier->thread.join();
  }
  ThisCarrier::here() = nullptr;
}

void Slots::carry(Carrier& me) {
  ThisCarrier::here() = &me;
  adopt_thread(me.native);
  for (;;) {
    Worker* slot = nullptr;
    {
      std::unique_lock lock(mutex_);
      mutex_.assert_held();
      while (me.slot == nullptr && !stopping_) me.wakes.wait(lock);
      slot = std::exchange(me.slot, nullptr);
    }
    if (slot == nullptr) break;
    slot->serve_on(me.native, me.guest.take_fiber());
  }
  ThisCarrier::here() = nullptr;
}

void Slots::count_over() { over_count_.store(static_cast<int>(over_.size()), std::memory_order_relaxed); }

void Slots::go_over(Carrier& me) {
  over_.push_back(&me);
  count_over();
}

// It gives no slot away, and so wakes no thread: workers that have rested since before may be all that there
// are, and the one that looks again sees that nothing but a creator can go on.
void Slots::end_over(Carrier& me) {
  over_.erase(std::find(over_.begin(), over_.end(), &me));
  count_over();
  elsewhere_.fetch_sub(1);
  runtime_.wake_for(me.guest.index);
}

// Those that run without a slot come first; then those that rest.
Carrier* Slots::next_for(Worker& slot) {
  if (!over_.empty()) {
    Carrier* const next = over_.front();
    over_.pop_front();
    count_over();
    elsewhere_.fetch_sub(1);
    next->slot = &slot;
    return next;
  }
  if (!spares_.empty()) {
    Carrier* const next = spares_.back();
    spares_.pop_back();
    next->slot = &slot;
    next->wakes.notify_one();
    return next;
  }
  if (unused_ == nullptr) unused_ = &add();
  Carrier& added = *unused_;
  added.slot = &slot;
  try {
    added.thread = std::thread([this, &added] { carry(added); });
  } catch (const std::system_error&) {
    added.slot = nullptr;
    return nullptr;
  }
  unused_ = nullptr;
  return &added;
}

void Slots::be_guest(Carrier& me, Worker& slot) {
  me.guest.index = slot.index;
  me.guest.current = std::exchange(slot.current, nullptr);
  me.guest.fiber = std::exchange(slot.fiber, nullptr);
  me.guest.become_self();
}

void Slots::take(Carrier& me, Worker& slot) {
  slot.native = &me.native;
  slot.current = std::exchange(me.guest.current, nullptr);
  slot.fiber = std::exchange(me.guest.fiber, nullptr);
  slot.become_self();
}

bool Slots::give_up(Carrier& me, bool bounded) {
  Worker* const self = Worker::self();
  const bool holds = self != &me.guest;
  if (bounded && outside_ >= most_outside_) return false;
  Worker* const slot = holds ? self : me.slot;
  if (slot == nullptr) {
    end_over(me);
    return true;
  }
  if (next_for(*slot) == nullptr) return false;
  me.slot = nullptr;
  if (holds) be_guest(me, *slot);
  return true;
}

bool Slots::leave() {
  Carrier* const me = ThisCarrier::here();
  if (me == nullptr || me->outside) return false;
  if (Worker::self()->current->main && runtime_.ranks != nullptr) runtime_.ranks->flush();
  const progress::Holding lock(mutex_);
  elsewhere_.fetch_add(1);  // before the slot's next thread looks whether anything is left
  if (!give_up(*me, true)) {
    elsewhere_.fetch_sub(1);
    return false;
  }
  ++outside_;
  me->outside = true;
  return true;
}

void Slots::come_back() {
  Carrier& me = *ThisCarrier::here();
  if (!me.outside) return;
  const progress::Holding lock(mutex_);
  --outside_;
  me.outside = false;
  go_over(me);
}

// False: a task is to be run, or a thread with one wants the slot.
bool Slots::main_looks(Worker& slot) {
  main_looks_in_.store(&slot);
  const bool may_go_on = slot.look_until_main_may_go_on();
  main_looks_in_.store(nullptr);
  return may_go_on;
}

// A main program that has just been woken has no slot yet. A thread that looks for work leaves it one at
// once; without that short wait the main program, which often waits again sooner, would be woken each time.
bool Slots::main_has_slot(Carrier& me) {
  if (Worker::self() != &me.guest) return true;
  const std::uint64_t begin = progress::now_ns();
  while (wanted() && !runtime_.main_ready.load() &&
         progress::now_ns() - begin < progress::worker_looks_least) {
    if (runtime_.ranks != nullptr && runtime_.ranks->job.crowded) sched_yield();
    progress::pause_briefly();
  }
  const progress::Holding lock(mutex_);
  if (me.slot == nullptr) return false;
  take(me, *std::exchange(me.slot, nullptr));
  return true;
}

void Slots::main_waits(Task& main) {
  Carrier& me = *ThisCarrier::here();
  main_waiting_.store(true);
  const bool at_once = main.pending.fetch_sub(1, std::memory_order_acq_rel) == 1;
  if (at_once || (main_has_slot(me) && main_looks(*Worker::self()))) {
    runtime_.main_ready.store(false);
    main_waiting_.store(false);
    return;
  }
  std::unique_lock lock(mutex_);
  mutex_.assert_held();
  const bool given_up = give_up(me, false);
  // Without a thread for the tasks the main program can go on only if what it waits for has come meanwhile.
  if (!given_up && main.pending.fetch_add(1, std::memory_order_acq_rel) != 0) {
    main_waiting_.store(false);
    throw Error("the main program waits, and there is no thread more to run its tasks meanwhile");
  }
  while (!runtime_.main_ready.load()) main_wakes_.wait(lock);
  runtime_.main_ready.store(false);
  main_waiting_.store(false);
  if (!given_up) {
    main.pending.fetch_sub(1, std::memory_order_acq_rel);
    return;
  }
  elsewhere_.fetch_add(1);
  go_over(me);
}

void Slots::main_may_go_on() {
  const Worker* looks = nullptr;
  {
    const progress::Holding lock(mutex_);
    runtime_.main_ready.store(true);
    main_wakes_.notify_one();
    looks = main_looks_in_.load();
  }
  if (looks != nullptr) runtime_.workers[static_cast<std::size_t>(looks->index)]->wake();
}

bool Slots::may_go_on() {
  Carrier& me = *ThisCarrier::here();
  Worker& self = *Worker::self();
  const bool holds = &self != &me.guest;
  if (holds && !wanted()) return true;
  self.give_next_back();
  runtime_.look_around();  // this thread may have ended the last task, and looks for no other one
  {
    const progress::Holding lock(mutex_);
    if (!holds && me.slot != nullptr) {
      self.current = nullptr;
      take(me, *std::exchange(me.slot, nullptr));
      return true;
    }
    if (holds) {
      if (over_.empty() || stopping_) return true;
      next_for(self);
      be_guest(me, self);
      me.guest.current = nullptr;
    } else {
      end_over(me);
    }
    spares_.push_back(&me);
  }
  // The thread that woke this one for a task may have left others asleep.
  if (holds) runtime_.wake_for(me.guest.index);
  return false;
}

namespace detail {

bool leave_slot() {
  const Worker* const worker = Worker::self();
  return worker != nullptr && worker->current != nullptr && worker->runtime.slots != nullptr &&
         worker->runtime.slots->leave();
}

void take_slot() { Worker::self()->runtime.slots->come_back(); }

}  // namespace detail

}  // namespace lapwing::tasks
