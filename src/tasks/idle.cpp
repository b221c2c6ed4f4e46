// SPDX-License-Identifier: Apache-2.0
// What a worker does next: its own tasks, then others', then nothing. It moves
// a task off its target processor only where more than one waits there, or
// where one has been waiting for some time.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "tasks/ranks/ranks.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks {

namespace {
constexpr double spinning = 20;  // microseconds before an idle worker sleeps
// On ranks it looks for messages meanwhile: longer where that has paid of late.
constexpr double most_spinning_on_ranks = 200;
constexpr double least_spinning_on_ranks = 5;
constexpr int rounds_of_one = 64;         // looks, some microseconds, before it lets others have the core
constexpr timespec nap{0, 20000000};      // then the helper does, and wakes it
constexpr timespec short_nap{0, 200000};  // where a creator may have to be let go

double microseconds() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

// std::atomic's wait() yields the core many times before it sleeps.
void futex(std::atomic<int>& word, int operation, int value, const timespec* most = nullptr) {
  syscall(SYS_futex, reinterpret_cast<int*>(&word), operation, value, most, nullptr, 0);
}
}  // namespace

Task* Worker::find(bool patient) {
  if (index == 0 && runtime.main_ready.load()) {
    runtime.main_ready.store(false);
    if (next_ != nullptr) schedule_one(std::exchange(next_, nullptr));
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

Task* Worker::next_task() {
  if (Task* const task = find(true)) return task;
  runtime.look_around();
  ranks::Ranks* const ranks = runtime.ranks.get();
  if (ranks != nullptr) return next_on_ranks(*ranks);
  const bool alone = runtime.workers.size() == 1;
  for (;;) {
    const double begin = microseconds();
    double waited = 0;
    do {
      if (Task* const task = find(waited < runtime.options.patience)) return task;
      if (alone) break;
      for (int i = 0; i < 20; ++i) pause_briefly();
      waited = microseconds() - begin;
    } while (waited < spinning || waited < 2 * runtime.options.patience);
    if (runtime.stop.load()) return nullptr;
    sleep();
  }
}

Task* Worker::next_on_ranks(ranks::Ranks& ranks) {
  struct Polling {
    explicit Polling(ranks::Ranks& its) : ranks(its) { ranks.begin_polling(); }
    ~Polling() { ranks.end_polling(); }
    ranks::Ranks& ranks;
  };
  double begin = microseconds();  // or when something moved last
  const double most = ranks.crowded() ? least_spinning_on_ranks : most_spinning_on_ranks;
  // A task that comes sooner than that is worth polling for.
  const auto learn = [&](Task* task) {
    const bool soon = microseconds() - begin < most;
    spin_ = soon ? most : std::max(least_spinning_on_ranks, spin_ / 2);
    return task;
  };
  for (;;) {
    {
      const Polling polling(ranks);
      double since = microseconds();
      double waited = 0;
      int rounds = 0;
      do {
        runtime.idle.fetch_add(1);
        if (ranks.poll() > 0) begin = since = microseconds();
        if (ranks.crowded() || ++rounds % rounds_of_one == 0) sched_yield();
        runtime.idle.fetch_sub(1);
        if (Task* const task = find(waited < runtime.options.patience)) return learn(task);
        ranks.want();
        waited = microseconds() - since;
      } while (waited < (ranks.moving() ? most : std::min(spin_, most)) ||
               waited < 2 * runtime.options.patience);
    }
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
  bool work = r.stop.load() || (index == 0 && r.main_ready.load());
  for (const auto& worker : r.workers) {
    work = work || !worker->processor.surely_empty(worker.get() == this);
  }
  if (!work && r.rest()) {
    if (r.ranks == nullptr) {
      futex(asleep, FUTEX_WAIT_PRIVATE, 1);
    } else {
      const timespec* const most = r.creators_may_go_on() ? &short_nap : &nap;
      r.idle.fetch_add(1);
      futex(asleep, FUTEX_WAIT_PRIVATE, 1, most);
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
  if (sleepers.load(std::memory_order_relaxed) == 0) return;
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
  main_ready.store(true);
  workers[0]->wake();
}

}  // namespace lapwing::tasks
