// SPDX-License-Identifier: Apache-2.0
#include "tasks/scheduler.hpp"

#include <algorithm>
#include <mutex>

namespace lapwing::tasks {

namespace {
constexpr int most_at_once = 16;

// Behind those of the same priority.
void insert(ReadyList& list, Task* task) {
  if (list.empty() || list.last->priority >= task->priority) return list.push(task);
  Task** place = &list.first;
  while ((*place)->priority >= task->priority) place = &(*place)->next;
  task->next = *place;
  *place = task;
}

void add(std::atomic<int>& counter, int by) {
  counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
}
}  // namespace

void Processor::link(Object& object) {
  object.next = nullptr;
  object.previous = last_;
  (last_ == nullptr ? first_ : last_->next) = &object;
  last_ = &object;
}

void Processor::append(Task* task, Object& object) {
  task->next = nullptr;
  task->previous = object.last_ready;
  (object.last_ready == nullptr ? object.first_ready : object.last_ready->next) = task;
  object.last_ready = task;
  length_.store(length_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

bool Processor::push(Task* task, Object& object) {
  const std::lock_guard lock(lock_);
  std::int32_t at = object.queued_at.load(std::memory_order_relaxed);
  if (at != index_) {
    // The first task of an object brings its queue along; a later one must follow it.
    if (at >= 0 || !object.queued_at.compare_exchange_strong(at, index_, std::memory_order_acq_rel)) {
      return false;
    }
    link(object);
  }
  append(task, object);
  return true;
}

void Processor::push_ranked(Task* task) {
  const std::lock_guard lock(lock_);
  insert(ranked_, task);
  add(length_, 1);
  if (task->priority > 0) add(urgent_, 1);
}

Task* Processor::take_ranked() {
  Task* const task = ranked_.pop();
  add(length_, -1);
  if (task->priority > 0) add(urgent_, -1);
  return task;
}

void Processor::push_placed(Task* task) {
  const std::lock_guard lock(lock_);
  insert(placed_tasks_, task);
  placed_.store(placed_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void Processor::unlink(Object& object) {
  (object.previous == nullptr ? first_ : object.previous->next) = object.next;
  (object.next == nullptr ? last_ : object.next->previous) = object.previous;
  object.next = object.previous = nullptr;
  object.queued_at.store(-1, std::memory_order_release);
}

void Processor::take_out(Task* task, Object& object) {
  (task->previous == nullptr ? object.first_ready : task->previous->next) = task->next;
  (task->next == nullptr ? object.last_ready : task->next->previous) = task->previous;
  if (object.first_ready == nullptr) unlink(object);
  length_.store(length_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
}

Task* Processor::take(bool owner) {
  if (empty()) return nullptr;
  const std::lock_guard lock(lock_);
  const bool placed = owner && !placed_tasks_.empty();
  if (urgent() && (!placed || placed_tasks_.first->priority < ranked_.first->priority)) return take_ranked();
  if (placed) {
    placed_.store(placed_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    return placed_tasks_.pop();
  }
  if (first_ == nullptr) return ranked_.empty() ? nullptr : take_ranked();
  Task* const task = first_->first_ready;
  take_out(task, *first_);
  return task;
}

Task* Processor::steal(int least, ReadyList& more) {
  if (stealable() < least) return nullptr;
  const std::lock_guard lock(lock_);
  if (stealable() < least) return nullptr;
  if (urgent() || (last_ == nullptr && !ranked_.empty())) return take_ranked();
  if (last_ == nullptr) return nullptr;
  Object& object = *last_;
  Task* const task = object.last_ready;
  take_out(task, object);
  if (&object == &nothing_) {
    for (int taken = std::min(stealable() / 2, most_at_once); taken > 0 && nothing_.last_ready != nullptr;
         --taken) {
      Task* const another = nothing_.last_ready;
      take_out(another, nothing_);
      more.push(another);
    }
  }
  return task;
}

void Processor::adopt(ReadyList& tasks) {
  const std::lock_guard lock(lock_);
  if (nothing_.first_ready == nullptr) {
    nothing_.queued_at.store(index_, std::memory_order_relaxed);
    link(nothing_);
  }
  while (!tasks.empty()) append(tasks.pop(), nothing_);
}

bool Processor::surely_empty(bool owner) {
  const std::lock_guard lock(lock_);
  return first_ == nullptr && ranked_.empty() && (!owner || placed_tasks_.empty());
}

}  // namespace lapwing::tasks
