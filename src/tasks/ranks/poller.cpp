// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/poller.hpp"

#include <algorithm>
#include <utility>

#include "progress/clock.hpp"
#include "progress/waiting.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

Poller::Poller(const Job& job, Outbox& outbox, StallWatch& stall_watch, Load load)
    : job_(job),
      outbox_(outbox),
      stall_watch_(stall_watch),
      load_(std::move(load)),
      helper_(job.runtime, static_cast<int>(job.runtime.workers.size())) {}

void Poller::start() {
  thread_ = std::thread([this] { help(); });
}

void Poller::stop() {
  stop_.store(true);
  if (thread_.joinable()) thread_.join();
}

void Poller::help() {
  helper_.adopt_as_self();
  const progress::Pauses& pauses =
      job_.wire.woken_by_all() ? progress::for_tasks_if_rung : progress::for_tasks;
  const auto rest_for = [](std::int64_t ns) { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); };
  std::int64_t rest = pauses.shortest;
  while (!stop_.load(std::memory_order_relaxed)) {
    if (job_.home()) stall_watch_.watch();
    if (pollers_.load() > 0) {
      rest_for(progress::rest_beside_workers);
      if (pollers_.load() > 0) continue;
    }
    job_.wire.listen(true);
    if (look_well() != 0) {
      // There may be more soon: no sender needs to ring for that.
      job_.wire.listen(false);
      move_on();
      rest = pauses.shortest;
      rest_for(rest);
      continue;
    }
    job_.wire.sleep(std::chrono::nanoseconds(waits_to_send() ? pauses.shortest : rest));
    rest = pauses.after(false, rest);
  }
  Worker::self_is_no_worker();
}

// Large objects move strip by strip, and only while a thread looks: where a
// worker sleeps, its core is free for that.
void Poller::move_on() {
  std::uint64_t last = progress::now_ns();
  while (moving() && !job_.crowded && pollers_.load() == 0 && job_.runtime.sleepers.load() > 0 &&
         progress::now_ns() - last < progress::longest_without_strip) {
    if (poll() > 0) last = progress::now_ns();
  }
}

void Poller::begin_polling() {
  if (pollers_.fetch_add(1) == 0) job_.wire.listen(false);
}

void Poller::end_polling() {
  if (pollers_.fetch_sub(1) != 1) return;
  job_.wire.listen(true);
  look_well();  // what came before that has woken no thread
}

// An MPI that is asked may fetch what has come only after it has answered.
int Poller::look_well() {
  const int found = poll();
  return found != 0 || job_.wire.by_memory_only() ? found : poll();
}

bool Poller::waits_to_send() {
  const std::unique_lock lock(job_.wire.mutex, std::try_to_lock);
  return !lock.owns_lock() || job_.wire.busy() || !outbox_.empty();
}

int Poller::poll() {
  const std::unique_lock lock(job_.wire.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return -1;
  const int moved = job_.wire.progress();
  moving_.store(job_.wire.busy(), std::memory_order_relaxed);
  if (!job_.home()) return moved;
  for (int rank = 1; rank < job_.ranks; ++rank) {
    const std::uint64_t waits = outbox_.waits(rank);
    if (waits == 0) continue;
    const std::uint64_t tasks = std::min<std::uint64_t>(load_(rank), 1000);
    if (waits > std::min(progress::batch_waits_most, progress::batch_waits_for_task * (1 + tasks))) {
      outbox_.flush(rank);
    }
  }
  return moved;
}

}  // namespace lapwing::tasks::ranks
