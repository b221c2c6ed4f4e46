// SPDX-License-Identifier: Apache-2.0
// The scheduler of the shared memory machine: each processor has a queue of the
// task queues of the objects that it owns. It takes the first task of the first
// object; who steals takes the last task of the last object.
#pragma once

#include "tasks/object.hpp"

namespace lapwing::tasks {

class alignas(64) Processor {
 public:
  explicit Processor(int index) : index_(index) {}

  /// Puts a ready task into the queue of the object; false if the object's
  /// queue has moved to another processor meanwhile.
  bool push(Task* task, Object& object);
  /// A task with a priority, which goes before the others, or behind them.
  void push_ranked(Task* task);
  /// A task that must run here, in order of priority and arrival.
  void push_placed(Task* task);
  /// The first task of the first object, or null; the owner takes placed tasks before.
  Task* take(bool owner);
  /// A task for another one, or null if there are fewer than `least`: the last
  /// of the last object. Tasks that declare nothing have no place to lose:
  /// several of them go at once, the others into `more`.
  Task* steal(int least, ReadyList& more);
  /// Takes over tasks that declare nothing.
  void adopt(ReadyList& tasks);

  int stealable() const { return length_.load(std::memory_order_relaxed); }
  bool empty() const { return stealable() == 0 && placed_.load(std::memory_order_relaxed) == 0; }
  /// There are tasks that go before the others.
  bool urgent() const { return urgent_.load(std::memory_order_relaxed) > 0; }
  /// Looks under the lock, so that who pushed before is seen, and who pushes
  /// later sees what the caller wrote before. `owner` also has the placed tasks.
  bool surely_empty(bool owner);
  /// Where tasks go that declare nothing.
  Object& nothing() { return nothing_; }

 private:
  void unlink(Object& object);
  void link(Object& object);
  void append(Task* task, Object& object);
  void take_out(Task* task, Object& object);
  Task* take_ranked();

  progress::SpinLock lock_;
  int index_;
  Object* first_ = nullptr;
  Object* last_ = nullptr;
  std::atomic<int> length_{0};
  std::atomic<int> placed_{0};
  std::atomic<int> urgent_{0};
  ReadyList placed_tasks_;
  ReadyList ranked_;  // with a priority other than 0; the highest first
  Object nothing_;
};

}  // namespace lapwing::tasks
