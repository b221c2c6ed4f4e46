// SPDX-License-Identifier: Apache-2.0
// What a worker does next: its own tasks, then others', then nothing. It moves
// a task off its target processor only where more than one waits there, or
// where one has been waiting for some time.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "progress/waiting.hpp"
#include "tasks/ranks/ranks.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks {

namespace {
using progress::now_ns;

// std::atomic's wait() yields the core many times before it sleeps.
void futex(std::atomic<int>& word, int operation, int value, const timespec* most = nullptr) {
  syscall(SYS_futex, reinterpret_cast<int*>(&word), operation, value, most, nullptr, 0);
}
}  // namespace

bool Worker::main_may_go_on_here() const {
  const bool main_is_here = runtime.slots != nullptr ? runtime.slots->main_looks_in(*this) : index == 0;
  return main_is_here && runtime.main_ready.load();
}

Task* Worker::find(bool patient) {
  if (main_may_go_on_here()) {
    runtime.main_ready.store(false);
    give_next_back();
    return &runtime.main;
  }
  if (next_ != nullptr) return std::exchange(next_, nullptr);
  if (Task* const task = processor.take(true)) return task;
  const std::size_t all = runtime.workers.size();
  if (!runtime.options.locality) return index == 0 ? nullptr : runtime.workers[0]->processor.take(false);
  for (std::size_t i = 1; i < all; ++i) {
    Processor& victim = runtime.workers[(static_cast<std::size_t>(index) + i) % all]->processor;
    ReadyList more;
    if (Task* const task = victim.steal(patient ? 2 : 1, more)) {
      if (!more.empty()) processor.adopt(more);
      count(stolen);
      task->stolen = true;
      return task;
    }
  }
  return nullptr;
}

std::uint64_t Worker::patience_ns() const {
  return static_cast<std::uint64_t>(1e3 * runtime.options.patience);
}

Task* Worker::next_task() {
  if (Task* const task = find(true)) return task;
  runtime.look_around();
  ranks::Ranks* const ranks = runtime.ranks.get();
  if (ranks != nullptr) return next_on_ranks(*ranks);
  const bool alone = runtime.workers.size() == 1;
  const std::uint64_t patience = patience_ns();
  for (;;) {
    const std::uint64_t begin = now_ns();
    std::uint64_t waited = 0;
    do {
      if (runtime.slot_wanted()) return nullptr;
      if (Task* const task = find(waited < patience)) return task;
      if (alone) break;
      for (int i = 0; i < 20; ++i) progress::pause_briefly();
      waited = now_ns() - begin;
    } while (waited < progress::worker_looks || waited < 2 * patience);
    if (runtime.stop.load()) return nullptr;
    sleep();
  }
}

Task* Worker::next_on_ranks(ranks::Ranks& ranks) {
  struct Polling {
    explicit Polling(ranks::Poller& its) : poller(its) { poller.begin_polling(); }
    ~Polling() { poller.end_polling(); }
    ranks::Poller& poller;
  };
  std::uint64_t begin = now_ns();  // or when something moved last
  const std::uint64_t patience = patience_ns();
  const std::uint64_t most = ranks.job.crowded ? progress::worker_looks_least : progress::worker_looks_most;
  // A task that comes sooner than that is worth polling for.
  const auto learn = [&](Task* task) {
    const bool soon = now_ns() - begin < most;
    looks_ = soon ? most : std::max(progress::worker_looks_least, looks_ / 2);
    return task;
  };
  for (;;) {
    {
      const Polling polling(ranks.poller);
      std::uint64_t since = now_ns(), waited = 0;
      for (int rounds = 0;; ++rounds) {
        runtime.idle.fetch_add(1);
        const bool moved = ranks.poller.poll() > 0;
        // The clock costs as much as a look: it is asked for a few looks at a time.
        if (moved || rounds % progress::looks_of_one_clock == 0) {
          const std::uint64_t now = now_ns();
          if (moved) begin = since = now;
          waited = now - since;
        }
        if (ranks.job.crowded || (rounds + 1) % progress::looks_of_one_worker == 0) sched_yield();
        runtime.idle.fetch_sub(1);
        if (runtime.slot_wanted()) return nullptr;
        if (Task* const task = find(waited < patience)) return learn(task);
        ranks.loans.want();
        const std::uint64_t enough = ranks.poller.moving() ? most : std::min(looks_, most);
        if (waited >= std::max(enough, 2 * patience)) break;
      }
    }
    if (runtime.slot_wanted()) return nullptr;
    if (Task* const task = find(false)) return learn(task);
    if (runtime.stop.load()) return nullptr;
    sleep();
  }
}

void Worker::sleep() {
  Runtime& r = runtime;
  asleep.store(1);
  r.sleepers.fetch_add(1);
  r.look_around();
  bool work = r.stop.load() || main_may_go_on_here();
  for (const auto& worker : r.workers) {
    work = work || !worker->processor.surely_empty(worker.get() == this);
  }
  if (!work && r.rest()) {
    if (r.ranks == nullptr) {
      futex(asleep, FUTEX_WAIT_PRIVATE, 1);
    } else {
      const timespec most = progress::timespec_of(r.creators_may_go_on() ? progress::worker_sleeps_briefly
                                                                         : progress::worker_sleeps);
      r.idle.fetch_add(1);
      futex(asleep, FUTEX_WAIT_PRIVATE, 1, &most);
      r.idle.fetch_sub(1);
    }
    r.resting.fetch_sub(1);
  }
  if (asleep.exchange(0) == 1) r.sleepers.fetch_sub(1);
}

bool Worker::wake() {
  if (asleep.load() == 0 || asleep.exchange(0) == 0) return false;
  runtime.sleepers.fetch_sub(1);
  futex(asleep, FUTEX_WAKE_PRIVATE, 1);
  return true;
}

void Runtime::wake_for(int target) {
  if (sleepers.load() == 0) return;
  if (workers[static_cast<std::size_t>(target)]->wake()) return;
  for (const auto& worker : workers) {
    if (worker->wake()) return;
  }
}

void Runtime::look_around() {
  // Of two workers that end their last tasks at once, one must see both ends.
  sleepers.fetch_add(0);
  look_at_window();
  if (draining.load() && drained() && draining.exchange(false)) {
    if (main.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) ready_main();
  }
}

void Runtime::ready_main() {
  if (slots != nullptr) return slots->main_may_go_on();
  main_ready.store(true);
  workers[0]->wake();
}

}  // namespace lapwing::tasks
