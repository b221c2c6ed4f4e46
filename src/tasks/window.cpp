// SPDX-License-Identifier: Apache-2.0
// The window: how many tasks are unrolled before the task that creates them waits.
// The main program's tasks never depend on what comes after them, so it can
// always wait. A task that creates others may be what all of them wait for: it
// goes on when nothing else can.
#include <algorithm>

#include "tasks/planted.hpp"
#include "tasks/ranks/ranks.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks {

std::uint64_t Runtime::unfinished() const {
  // The finished tasks are read first: their number can only lag behind that of the created.
  std::uint64_t finished = 0, created = 0;
  for (const auto& worker : workers) finished += worker->finished.load(std::memory_order_acquire);
  if (ranks != nullptr) finished += ranks->poller.helper().finished.load(std::memory_order_acquire);
  const auto of_guests = [this](std::uint64_t& sum, std::atomic<std::uint64_t> Worker::*counter) {
    if (slots == nullptr) return;
    slots->each_guest([&](const Worker& guest) { sum += (guest.*counter).load(std::memory_order_acquire); });
  };
  of_guests(finished, &Worker::finished);
  for (const auto& worker : workers) created += worker->created.load(std::memory_order_acquire);
  of_guests(created, &Worker::created);
  if (ranks != nullptr)
    created += ranks->poller.helper().created.load(std::memory_order_acquire) + ranks->home.unfinished();
  return created - finished;
}

bool Runtime::drained() const { return unfinished() == 0; }

void Runtime::before_creation(Worker& worker) {
  if (--worker.allowance > 0) return;
  const std::uint64_t now = unfinished();
  if (now > worker.most.load(std::memory_order_relaxed)) worker.most.store(now, std::memory_order_relaxed);
  if (now < window) {
    const auto room = static_cast<std::int64_t>((window - now) / workers.size());
    worker.allowance = std::clamp<std::int64_t>(room, 1, 64);
    return;
  }
  worker.allowance = 1;
  count(worker.window_waits);
  worker.current->pending.store(2, std::memory_order_relaxed);
  {
    const progress::Holding lock(creators_mutex_);
    creators_.push_back(worker.current);
    waiting_creators.store(static_cast<int>(creators_.size()));
  }
  // Tasks may have ended between the look and the registration.
  look_at_window();
  Worker::suspend();
}

void Runtime::look_at_window() {
  if (waiting_creators.load() == 0 || unfinished() > low_mark) return;
  while (release_one_creator()) {
  }
}

bool Runtime::creators_may_go_on() {
  const progress::Holding lock(creators_mutex_);
  return std::any_of(creators_.begin(), creators_.end(), [](const Task* task) { return !task->main; });
}

bool Runtime::release_one_creator(bool also_main) {
  Task* task = nullptr;
  {
    const progress::Holding lock(creators_mutex_);
    if (creators_.empty() || fault(Fault::creators_stay)) return false;
    auto last = std::prev(creators_.end());  // the deepest: it holds the others up
    if (!also_main && (*last)->main) {
      if (last == creators_.begin()) return false;
      --last;
    }
    task = *last;
    creators_.erase(last);
    waiting_creators.store(static_cast<int>(creators_.size()));
  }
  if (task->pending.fetch_sub(1, std::memory_order_acq_rel) == 1) Worker::self()->schedule_one(task);
  return true;
}

}  // namespace lapwing::tasks
