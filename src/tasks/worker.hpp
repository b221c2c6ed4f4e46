// SPDX-License-Identifier: Apache-2.0
// The dispatcher: a thread that runs ready tasks one after the other. A task
// that must wait keeps its stack, and the worker goes on with another.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "progress/policy.hpp"
#include "tasks/blocks.hpp"
#include "tasks/fiber.hpp"
#include "tasks/scheduler.hpp"

namespace lapwing::tasks {

class Runtime;
namespace ranks {
class Ranks;
}

class alignas(64) Worker {
 public:
  Worker(Runtime& runtime, int index) : runtime(runtime), processor(index), index(index) {}

  /// The worker of the calling thread. A task may wake on another thread, so
  /// this is asked anew after everything that may suspend.
  static Worker* self();
  static void self_is_no_worker();

  /// The body of the thread, but for the main program's.
  void serve();
  /// The calling thread, which is on the stack that it came with, goes on with this worker's loop on `loop`
  /// until it is no worker any more.
  void serve_on(Fiber& stack, Fiber* loop);
  /// The calling thread is this worker from here on.
  void become_self();
  /// The task that it would have run next goes to where others find it.
  void give_next_back();
  /// Suspends the running task, whose `pending` counts one for this very call.
  static void suspend();
  /// The main program, on its own stack, looks for work as this worker. True when it may go on. False where
  /// a task waits to be run, which this worker runs next, or where another thread wants the worker.
  bool look_until_main_may_go_on();
  /// Tasks that have become ready; the first may be run by this worker next.
  void schedule(ReadyList& ready, const Task* finished);
  void schedule_one(Task* task);
  /// Ends a task that another rank has run.
  void end_elsewhere(Task* task);
  /// Lets a sleeping worker look around.
  bool wake();

  Runtime& runtime;
  Processor processor;
  int index;
  Task* current = nullptr;
  Fiber* fiber = nullptr;      // that is running
  Fiber own_stack;             // of a thread that is this worker for good
  Fiber* native = &own_stack;  // the stack that its thread came with
  BlockCache blocks;
  std::int64_t allowance = 0;  // tasks to create before the window is looked at

  // Written by this worker only, read by all.
  std::atomic<std::uint64_t> created{0};
  std::atomic<std::uint64_t> finished{0};
  std::atomic<std::uint64_t> on_target{0}, targeted{0}, stolen{0}, suspended{0}, window_waits{0}, most{0};
  std::atomic<int> asleep{0};
  std::thread thread;

  void adopt_as_self();
  void free_fibers();
  Fiber* take_fiber();

 private:
  friend class Runtime;
  static void fiber_entry();
  void after_switch();
  void loop();
  Task* next_task();
  Task* next_on_ranks(ranks::Ranks& ranks);
  std::uint64_t patience_ns() const;
  Task* find(bool patient);
  bool main_may_go_on_here() const;
  void run(Task* task);
  void execute(Task* task);
  void end(Task* task);
  bool keeps(const Task* task, const Task* finished) const;
  void set_target(Task* task) const;
  void sleep();

  Task* next_ = nullptr;       // to be run before the queue is asked
  Task* arriving_ = nullptr;   // has just left its stack
  Fiber* recycled_ = nullptr;  // has just been left for good
  Fiber* free_fibers_ = nullptr;
  int free_count_ = 0;
  std::uint64_t looks_ = progress::worker_looks_most;  // nanoseconds before it sleeps, on ranks
};

inline void count(std::atomic<std::uint64_t>& counter) {
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace lapwing::tasks
