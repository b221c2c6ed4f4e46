// SPDX-License-Identifier: Apache-2.0
// Which thread holds which worker. A thread whose task waits outside of the library gives its
// worker, its slot, to another thread, and goes on without one when it comes back, until
// some thread leaves its slot to it between two tasks. Only where programs may wait so.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "progress/locks.hpp"
#include "tasks/worker.hpp"

namespace lapwing::tasks {

/// A thread that runs tasks, or the main program.
struct Carrier {
  explicit Carrier(Runtime& runtime) : guest(runtime, 0) {}

  Worker guest;  // what its task sees for a worker while it holds none: without a queue
  Fiber native;
  bool outside = false;    // its task waits; for the thread itself
  Worker* slot = nullptr;  // left to it, guarded by Slots::mutex_
  std::condition_variable_any wakes;
  std::thread thread;
};

class Slots {
 public:
  /// At most `spare` tasks wait outside at a time without their slots.
  Slots(Runtime& runtime, int spare);

  /// The calling thread runs the main program, in the first slot.
  void adopt_main(Task& main);
  /// A thread for each other slot. Throws std::system_error.
  void start();
  /// When `stop` is set and the workers are awake.
  void stop();

  /// The running task is about to wait outside: gives the slot away. False: it keeps it.
  bool leave();
  /// Nothing where it is not outside: a wait inside has ended that.
  void come_back();
  /// The main program waits for tasks, on its own stack. It looks for work in its slot itself until a task is
  /// there to be run: then the slot goes to another thread. So a wait for another rank's task alone wakes no
  /// thread, and no task runs on the main program's thread, which could keep the main program from going on.
  void main_waits(Task& main);
  void main_may_go_on();
  /// The main program looks for work as `worker`.
  bool main_looks_in(const Worker& worker) const {
    return main_looks_in_.load(std::memory_order_relaxed) == &worker;
  }
  bool main_is_waiting() const { return main_waiting_.load(); }

  /// Between two tasks, on the stack of the loop: false if this thread has no slot any more.
  bool may_go_on();
  /// Some thread runs a task without a slot.
  bool wanted() const { return over_count_.load(std::memory_order_relaxed) > 0; }
  /// Some task that has begun is in no slot.
  bool any_elsewhere() const { return elsewhere_.load() > 0; }

  template <class Visit>
  void each_guest(Visit visit) const {
    const std::size_t all = count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < all; ++i) visit(carriers_[i]->guest);
  }

 private:
  void carry(Carrier& me);
  bool main_has_slot(Carrier& me);
  bool main_looks(Worker& slot);
  bool give_up(Carrier& me, bool bounded) LAPWING_REQUIRES(mutex_);
  Carrier* next_for(Worker& slot) LAPWING_REQUIRES(mutex_);
  Carrier& add() LAPWING_REQUIRES(mutex_);
  void be_guest(Carrier& me, Worker& slot) LAPWING_REQUIRES(mutex_);
  static void take(Carrier& me, Worker& slot);
  void go_over(Carrier& me) LAPWING_REQUIRES(mutex_);
  void end_over(Carrier& me) LAPWING_REQUIRES(mutex_);
  void count_over() LAPWING_REQUIRES(mutex_);

  Runtime& runtime_;
  const int most_outside_;
  progress::OwnedMutex mutex_;
  std::condition_variable_any main_wakes_;
  std::deque<Carrier*> over_ LAPWING_GUARDED_BY(mutex_);     // run a task, and have no slot
  std::vector<Carrier*> spares_ LAPWING_GUARDED_BY(mutex_);  // have nothing to do
  int outside_ LAPWING_GUARDED_BY(mutex_) = 0;
  bool stopping_ LAPWING_GUARDED_BY(mutex_) = false;
  Carrier* unused_ LAPWING_GUARDED_BY(mutex_) = nullptr;  // could not be given a thread
  std::vector<std::unique_ptr<Carrier>> carriers_;        // never moved
  std::atomic<std::size_t> count_{0};
  std::atomic<int> over_count_{0}, elsewhere_{0};
  std::atomic<bool> main_waiting_{false};
  std::atomic<const Worker*> main_looks_in_{nullptr};  // written by the main program's thread
};

}  // namespace lapwing::tasks
