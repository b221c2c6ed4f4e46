// SPDX-License-Identifier: Apache-2.0
// Which thread of a rank looks for messages: workers with nothing to do, and a helper, so that a rank whose
// workers are all busy, or asleep, still answers.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "tasks/ranks/job.hpp"
#include "tasks/ranks/outbox.hpp"
#include "tasks/ranks/stall_watch.hpp"
#include "tasks/worker.hpp"

namespace lapwing::tasks::ranks {

class Poller {
 public:
  /// Tells how many tasks of the home a rank has not ended: one with many may wait for its next batch.
  using Load = std::function<std::uint64_t(int rank)>;
  Poller(const Job& job, Outbox& outbox, StallWatch& stall_watch, Load load);
  ~Poller() { stop(); }
  void start();
  void stop();

  /// Sends and receives; returns at once, with a negative number, if another thread does. 0 if nothing was
  /// there.
  int poll();
  /// Something large is on its way.
  bool moving() const { return moving_.load(std::memory_order_relaxed); }
  /// A worker that has nothing to do polls for a while.
  void begin_polling();
  void end_polling();
  /// The worker that stands for the helper: it runs no tasks, and ends those that other ranks ran.
  Worker& helper() { return helper_; }

 private:
  void help();
  void move_on();
  bool waits_to_send();
  int look_well();

  const Job& job_;
  Outbox& outbox_;
  StallWatch& stall_watch_;
  Load load_;
  Worker helper_;
  std::thread thread_;
  std::atomic<bool> stop_{false};
  std::atomic<int> pollers_{0};
  std::atomic<bool> moving_{false};
};

}  // namespace lapwing::tasks::ranks
