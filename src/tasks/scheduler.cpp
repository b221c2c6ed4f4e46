// SPDX-License-Identifier: Apache-2.0
#include "tasks/scheduler.hpp"

#include <mutex>

namespace lapwing::tasks {

bool Processor::push(Task* task, Object& object) {
  const std::lock_guard lock(lock_);
  std::int32_t at = object.queued_at.load(std::memory_order_relaxed);
  if (at != index_) {
    // The first task of an object brings its queue along; a later one must follow it.
    if (at >= 0 || !object.queued_at.compare_exchange_strong(at, index_, std::memory_order_acq_rel)) {
      return false;
    }
    object.next = nullptr;
    object.previous = last_;
    (last_ == nullptr ? first_ : last_->next) = &object;
    last_ = &object;
  }
  task->next = nullptr;
  task->previous = object.last_ready;
  (object.last_ready == nullptr ? object.first_ready : object.last_ready->next) = task;
  object.last_ready = task;
  length_.store(length_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return true;
}

void Processor::push_placed(Task* task) {
  const std::lock_guard lock(lock_);
  placed_tasks_.push(task);
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
  if (owner && !placed_tasks_.empty()) {
    placed_.store(placed_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    return placed_tasks_.pop();
  }
  if (first_ == nullptr) return nullptr;
  Task* const task = first_->first_ready;
  take_out(task, *first_);
  return task;
}

Task* Processor::steal(int least) {
  if (stealable() < least) return nullptr;
  const std::lock_guard lock(lock_);
  if (stealable() < least || last_ == nullptr) return nullptr;
  Task* const task = last_->last_ready;
  take_out(task, *last_);
  return task;
}

bool Processor::surely_empty(bool owner) {
  const std::lock_guard lock(lock_);
  return first_ == nullptr && (!owner || placed_tasks_.empty());
}

}  // namespace lapwing::tasks
