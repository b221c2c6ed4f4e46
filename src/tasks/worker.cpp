// SPDX-License-Identifier: Apache-2.0
#include "tasks/worker.hpp"

#include <lapwing/tasks/errors.hpp>

#include <mutex>

#include "tasks/queue.hpp"
#include "tasks/ranks/ranks.hpp"
#include "tasks/runtime.hpp"
#include "tasks/thread_pointer.hpp"

namespace lapwing::tasks {

namespace {
using ThisWorker = ThreadPointer<Worker>;
constexpr int kept_fibers = 16;
}  // namespace

Worker* Worker::self() { return ThisWorker::here(); }

void Worker::self_is_no_worker() { ThisWorker::here() = nullptr; }

void Worker::adopt_as_self() {
  ThisWorker::here() = this;
  adopt_thread(*native);
  fiber = native;
}

void Worker::become_self() { ThisWorker::here() = this; }

void Worker::serve() {
  adopt_as_self();
  serve_on(*native, take_fiber());
}

void Worker::serve_on(Fiber& stack, Fiber* loop) {
  native = &stack;
  fiber = loop;
  become_self();
  switch_fiber(stack, *loop);
  self()->after_switch();  // another one, where this one has been given away
  self_is_no_worker();
}

void Worker::give_next_back() {
  if (next_ != nullptr) schedule_one(std::exchange(next_, nullptr));
}

Fiber* Worker::take_fiber() {
  if (free_fibers_ == nullptr) return make_fiber(runtime.options.stack * 1024, &Worker::fiber_entry);
  Fiber* const taken = free_fibers_;
  free_fibers_ = taken->next;
  --free_count_;
  return taken;
}

void Worker::free_fibers() {
  while (free_fibers_ != nullptr) {
    Fiber* const next = free_fibers_->next;
    free_fiber(free_fibers_);
    free_fibers_ = next;
  }
  free_count_ = 0;
}

void Worker::fiber_entry() {
  for (;;) {
    self()->after_switch();
    self()->loop();
    // The program ends, or the worker has been given away: the thread goes back to the stack that it came
    // with.
    Worker* const worker = self();
    Fiber* const left = worker->fiber;
    worker->recycled_ = left;
    worker->fiber = worker->native;
    switch_fiber(*left, *worker->native);
  }
}

void Worker::after_switch() {
  if (recycled_ != nullptr) {
    Fiber* const left = std::exchange(recycled_, nullptr);
    if (free_count_ < kept_fibers) {
      left->next = free_fibers_;
      free_fibers_ = left;
      ++free_count_;
    } else {
      free_fiber(left);
    }
  }
  if (arriving_ != nullptr) {
    Task* const task = std::exchange(arriving_, nullptr);
    if (task->pending.fetch_sub(1, std::memory_order_acq_rel) == 1) schedule_one(task);
  }
}

void Worker::suspend() {
  Worker* worker = self();
  if (worker->runtime.slots != nullptr) worker->runtime.slots->come_back();
  Task* const task = worker->current;
  Fiber* const left = worker->fiber;
  if (worker->runtime.trace != nullptr) worker->runtime.trace->suspended(*task);
  count(worker->suspended);
  if (task->main && worker->runtime.ranks != nullptr) worker->runtime.ranks->flush();
  if (task->main && worker->runtime.slots != nullptr) {
    worker->runtime.slots->main_waits(*task);
    if (worker->runtime.trace != nullptr) worker->runtime.trace->resumed(*task);
    return;
  }
  task->fiber = left;
  worker->arriving_ = task;
  worker->fiber = worker->take_fiber();
  switch_fiber(*left, *worker->fiber);
  worker = self();
  worker->after_switch();
  if (worker->runtime.trace != nullptr) worker->runtime.trace->resumed(*task);
}

bool Worker::look_until_main_may_go_on() {
  Task* const main = std::exchange(current, nullptr);
  Task* const found = next_task();
  current = main;
  if (found == main) return true;
  next_ = found;
  return false;
}

void Worker::loop() {
  for (;;) {
    Slots* const slots = runtime.slots.get();
    if (slots != nullptr && !slots->may_go_on()) return;
    Worker* const worker = self();
    Task* const task = worker->next_task();
    if (task != nullptr) {
      worker->run(task);
    } else if (runtime.stop.load()) {
      return;
    }
  }
}

void Worker::run(Task* task) {
  current = task;
  if (task->fiber == nullptr) return execute(task);
  // This stack is empty but for the loop: it is left for good, or until it is wanted.
  Fiber* const left = fiber;
  recycled_ = left;
  fiber = std::exchange(task->fiber, nullptr);
  switch_fiber(*left, *fiber);
  self()->after_switch();
}

void Worker::execute(Task* task) {
  Failure& failure = runtime.failure;
  Trace* const trace = runtime.trace.get();
  if (trace != nullptr) trace->started(*task, index);
  if (task->target >= 0) {
    count(targeted);
    if (task->target == index) count(on_target);
  }
  if (failure.any() && failure.precedes(place_of(*task))) {
    task->body->drop(task->closure);
  } else {
    try {
      for (Record& record : *task) {
        // An access that is deferred may be coming just now.
        if ((record.rights & ~record.deferred) != 0 && record.object->value == nullptr) {
          throw Error(text_of(*task) + " was to use an object that the program had destroyed before it");
        }
      }
    } catch (...) {
      failure.record(*task);
      if (runtime.ranks != nullptr) runtime.ranks->failures.tell(*task);
      task->body->drop(task->closure);
      return self()->end(task);
    }
    try {
      if (runtime.ranks != nullptr && task->body->direct)
        runtime.ranks->transfers.wait_until_all_landed(*task);
      task->body->run(task->closure);
    } catch (const Skipped&) {
    } catch (...) {
      failure.record(*task);
      if (runtime.ranks != nullptr) runtime.ranks->failures.tell(*task);
    }
  }
  self()->end(task);
}

void Worker::end(Task* task) {
  if (runtime.trace != nullptr) runtime.trace->ended(*task);
  Object* const locality = task->locality;
  if (locality != nullptr && task->records()->rights != detail::reads &&
      locality->owner.load(std::memory_order_relaxed) != index) {
    locality->owner.store(index, std::memory_order_relaxed);
  }
  ReadyList ready;
  if (task->destroys) forget_if_last(*task->records());
  for (Record& record : *task) leave(record, ready);
  for (Record* record = task->created; record != nullptr;) {
    Record* const next = record->next_other;
    leave(*record, ready);
    delete record;
    record = next;
  }
  if (task->destroys) end_if_unused(*locality);
  current = nullptr;
  if (task->assigned) runtime.ranks->central.next_for(0);
  if (!ready.empty()) schedule(ready, task);
  release_task(task);
  const std::uint64_t ended = finished.load(std::memory_order_relaxed) + 1;
  finished.store(ended, std::memory_order_release);
  if (ended % runtime.check_interval == 0) runtime.look_at_window();
}

void Worker::end_elsewhere(Task* task) {
  ReadyList ready;
  for (Record& record : *task) leave(record, ready);
  if (!ready.empty()) schedule(ready, nullptr);
  release_task(task);
  finished.store(finished.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

// The order of Jade 3.2.1 with two locks saved: the next task of the same object, or
// the only task that this processor has.
bool Worker::keeps(const Task* task, const Task* finished_task) const {
  if (task->priority != 0 || processor.urgent()) return false;
  if (task->placed >= 0) return task->placed == index && processor.empty();
  if (!runtime.options.locality) return runtime.workers[0]->processor.empty();
  if (task->locality == nullptr) return processor.empty();
  if (task->locality == finished_task->locality) return true;
  return processor.empty() && task->locality->owner.load(std::memory_order_relaxed) == index;
}

void Worker::schedule(ReadyList& ready, const Task* finished_task) {
  bool urgent = false;
  while (!ready.empty()) {
    Task* const task = ready.pop();
    urgent = urgent || task->priority > 0;
    if (task->transfer) {
      runtime.ranks->transfers.run(task);
    } else if (task->commutes) {  // its turns first
      task->commutes = false;
      take_turns(task, ready);
    } else if (runtime.ranks != nullptr && runtime.ranks->central.wants_rank(*task) && !task->main) {
      runtime.ranks->central.enabled(*task);
    } else if (runtime.ranks != nullptr && runtime.ranks->loans.lend(*task)) {
      continue;
    } else if (finished_task != nullptr && next_ == nullptr && !task->main && keeps(task, finished_task)) {
      set_target(task);
      if (runtime.trace != nullptr) runtime.trace->ready(*task);
      next_ = task;
    } else {
      schedule_one(task);
    }
  }
  // The task that was kept may have stood before one with a priority.
  if (urgent) give_next_back();
}

void Worker::set_target(Task* task) const {
  if (task->fiber != nullptr) return;  // it has begun
  if (task->placed >= 0) {
    task->target = task->placed;
  } else if (task->locality != nullptr) {
    task->target = task->locality->owner.load(std::memory_order_relaxed);
  }
}

void Worker::schedule_one(Task* task) {
  if (task->main) return runtime.ready_main();
  if (task->transfer) return runtime.ranks->transfers.run(task);
  if (task->commutes) {
    ReadyList ready;
    ready.push(task);
    return schedule(ready, nullptr);
  }
  if (runtime.ranks != nullptr && runtime.ranks->central.wants_rank(*task))
    return runtime.ranks->central.enabled(*task);
  if (runtime.ranks != nullptr && runtime.ranks->loans.lend(*task)) return;
  set_target(task);
  if (runtime.trace != nullptr) runtime.trace->ready(*task);
  if (task->placed >= 0) {
    Worker& there = *runtime.workers[static_cast<std::size_t>(task->placed)];
    there.processor.push_placed(task);
    if (runtime.sleepers.load(std::memory_order_relaxed) > 0) there.wake();
    return;
  }
  int where = 0;
  if (task->priority != 0) {
    const bool own = index < static_cast<int>(runtime.workers.size());
    if (runtime.options.locality) where = task->target >= 0 ? task->target : own ? index : 0;
    runtime.workers[static_cast<std::size_t>(where)]->processor.push_ranked(task);
  } else if (!runtime.options.locality) {
    while (!runtime.workers[0]->processor.push(task, runtime.workers[0]->processor.nothing())) {
    }
  } else if (task->locality == nullptr) {
    where = index < static_cast<int>(runtime.workers.size()) ? index : 0;
    Processor& here = runtime.workers[static_cast<std::size_t>(where)]->processor;
    while (!here.push(task, here.nothing())) {
    }
  } else {
    Object& object = *task->locality;
    do {
      where = object.queued_at.load(std::memory_order_acquire);
      if (where < 0) where = object.owner.load(std::memory_order_relaxed);
    } while (!runtime.workers[static_cast<std::size_t>(where)]->processor.push(task, object));
  }
  runtime.wake_for(where);
}

}  // namespace lapwing::tasks
