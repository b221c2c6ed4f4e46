// SPDX-License-Identifier: Apache-2.0
#include "tasks/queue.hpp"

#include <mutex>

#include "tasks/planted.hpp"
#include "tasks/queue_list.hpp"
#include "tasks/queue_parts.hpp"
#include "tasks/ranks/range.hpp"
#include "tasks/ranks/task_messages.hpp"

namespace lapwing::tasks {

namespace {

bool fits(const Object& object, const Record& record) {
  if (fault(Fault::side_by_side)) return true;
  return object.enabled == 0 ||
         (record.kind != Class::exclusive && record.kind == object.kind && company(record) == object.company);
}

void enable(Object& object, Record& record, ReadyList& ready) {
  if (object.enabled++ == 0) {
    object.kind = record.kind;
    object.company = company(record);
  }
  let_in(record, ready);
}

void advance(Object& object, ReadyList& ready) {
  while (object.frontier != nullptr && fits(object, *object.frontier)) {
    Record& record = *object.frontier;
    object.frontier = record.next;
    enable(object, record, ready);
  }
}

bool has_parts(const Object& object, const Record& record) { return object.partial != 0 || record.partial; }

void append(Object& object, Record& record, ReadyList& ready) {
  if (has_parts(object, record)) return parts::append(object, record, ready);
  link_before(object, record, nullptr);
  if (object.frontier == nullptr) object.frontier = &record;
  advance(object, ready);
}

// The update whose turn it is becomes the first of those that commute, and
// exclusive: its task's children come before it and after no other task.
void settle(Object& object, Record& record, ReadyList& ready) {
  unlink(object, record);
  link_before(object, record, object.head);
  record.kind = Class::exclusive;
  record.held = false;
  object.holder = nullptr;  // the turn is its children's
  if (object.partial != 0) return parts::judge_all(object, ready);
  for (Record* r = object.head; r != object.frontier; r = r->next) r->enabled = false;
  object.enabled = 0;
  object.frontier = object.head;
  advance(object, ready);
}

// The next commuting update whose turn it is, if no task has it.
Record* hand_over(Object& object) {
  if (object.holder != nullptr) return nullptr;
  Record* previous = nullptr;
  for (Record* r = object.first_waiting; r != nullptr; previous = r, r = r->next_other) {
    if (!r->enabled) continue;
    (previous == nullptr ? object.first_waiting : previous->next_other) = r->next_other;
    if (object.last_waiting == r) object.last_waiting = previous;
    object.holder = r;
    r->held = true;
    return r;
  }
  return nullptr;
}

void insert_before(Object& object, Record& record, Record& parent, ReadyList& ready) {
  if (parent.kind == Class::commuting && !fault(Fault::no_settling)) settle(object, parent, ready);
  if (fault(Fault::child_at_end)) return append(object, record, ready);
  if (has_parts(object, record)) return parts::insert_before(object, record, parent, ready);
  link_before(object, record, fault(Fault::child_behind) ? parent.next : &parent);
  if (!parent.enabled) {
    if (object.frontier == &parent) object.frontier = &record;
    advance(object, ready);
  } else if (fits(object, record)) {
    enable(object, record, ready);
  } else {
    // The parent had it for itself; it now waits for the child.
    parent.enabled = fault(Fault::parent_keeps);
    object.enabled = 0;
    object.frontier = &record;
    advance(object, ready);
  }
}

void remove(Object& object, Record& record, ReadyList& ready) {
  if (object.partial != 0) return parts::remove(object, record, ready);
  if (object.frontier == &record) object.frontier = record.next;
  unlink(object, record);
  if (record.enabled) --object.enabled;
  record.enabled = false;
  advance(object, ready);
}

// A part of another rank's task is many; a part that another rank wants is kept for it.
void fold(Object& object, Record& record) {
  if (record.task->transfer || record.task->stage == Stage::elsewhere)
    return ranks::fold_parts(object, record);
  if (ranks::range().begin() != 0 && ranks::collected(record)) return;
  if (!fault(Fault::dropped_part)) record.reduction->combine(object.value, record.own);
  record.reduction->drop(record.own);
}

// Parts are combined one after the other, outside the lock: at the head of the
// queue, or, where the order is free, as they come.
void combine(Object& object, std::unique_lock<progress::SpinLock>& lock, ReadyList& ready) {
  if (object.combining) return;
  object.combining = true;
  Record* combined = nullptr;
  for (;;) {
    Record* record = object.to_combine;
    if (record != nullptr) {
      object.to_combine = record->next_other;
    } else if (object.head != nullptr && object.head->done && object.head->kind == Class::reducing &&
               !object.head->reduction->any_order) {
      record = object.head;
    } else {
      break;
    }
    lock.unlock();
    fold(object, *record);
    lock.lock();
    remove(object, *record, ready);
    record->next_other = combined;
    combined = record;
  }
  object.combining = false;
  if (combined == nullptr) return;
  // The end of a task may be told to other ranks, for which another thread has
  // the wire, and waits until no thread combines here.
  lock.unlock();
  while (combined != nullptr) {
    Task* const task = combined->task;
    combined = combined->next_other;
    release_task(task);
  }
  lock.lock();
}

bool is_part(const Record& record) { return record.kind == Class::reducing; }

bool made_elsewhere(const Object& object) {
  const ranks::Range& range = ranks::range();
  return range.has(&object) && range.maker(&object) != range.rank();
}

}  // namespace

Class class_of(std::uint8_t rights) {
  if ((rights & detail::reduces) != 0) return Class::reducing;
  if ((rights & detail::commutes) != 0) return Class::commuting;
  return (rights & detail::writes) != 0 ? Class::exclusive : Class::shared;
}

bool enter(Record& record, Record* parent) {
  Object& object = *record.object;
  ReadyList ready;  // only the record itself can become ready, and its task is being set up
  const std::lock_guard lock(object.lock);
  if (parent == nullptr) {
    append(object, record, ready);
  } else {
    insert_before(object, record, *parent, ready);
  }
  if (!record.enabled && (record.rights & ~record.deferred) != 0) record.waited = true;
  return record.enabled;
}

void leave(Record& record, ReadyList& ready) {
  if (record.done) return;
  Object& object = *record.object;
  Record* successor = nullptr;
  bool release = is_part(record);
  {
    std::unique_lock lock(object.lock);
    record.done = true;
    if (is_part(record) && record.own != nullptr) {
      release = false;  // the thread that combines it does
      if (record.reduction->any_order || fault(Fault::parts_as_they_come)) {
        record.next_other = object.to_combine;
        object.to_combine = &record;
      }
      combine(object, lock, ready);
    } else {
      remove(object, record, ready);
      if (object.holder == &record) object.holder = nullptr;
      // A part that was never made may have kept others from the head.
      if (object.head != nullptr && object.head->done) combine(object, lock, ready);
    }
    // Also after a part: it may have been the last thing before updates that wait for a turn.
    if (!fault(Fault::lost_commute)) successor = hand_over(object);
  }
  if (successor != nullptr) take_turns(successor->task, ready);
  if (release) release_task(record.task);
}

void weaken(Record& record, std::uint8_t lost, ReadyList& ready) {
  const auto left = static_cast<std::uint8_t>(record.rights & ~lost);
  if (left == record.rights) return;
  if (left == 0 || fault(Fault::release_all) || record.kind == Class::commuting ||
      record.kind == Class::reducing) {
    record.rights = 0;
    leave(record, ready);
    return;
  }
  Object& object = *record.object;
  const std::lock_guard lock(object.lock);
  record.rights = left;
  record.deferred &= left;
  if (record.kind == Class::exclusive && class_of(left) == Class::shared) {
    if (object.partial != 0) return parts::only_reads(object, record, ready);
    record.kind = Class::shared;
    if (record.enabled) object.kind = Class::shared;
    advance(object, ready);
  }
}

bool usable(Record& record, std::uint8_t rights) {
  if (fault(Fault::no_wait_inside)) return true;
  Object& object = *record.object;
  const std::lock_guard lock(object.lock);
  if (record.enabled && (record.kind != Class::commuting || record.held)) return true;
  // Readers before it do not disturb its own reading.
  const bool only_readers = object.partial != 0 ? parts::behind_readers(object, record)
                                                : object.frontier == &record && object.kind == Class::shared;
  if (rights == detail::reads && only_readers) return true;
  record.waited = true;
  record.task->pending.store(2, std::memory_order_relaxed);
  return false;
}

bool usable_by_main(Object& object, std::uint8_t rights, Record& place) {
  const std::lock_guard lock(object.lock);
  if (object.head == nullptr || (fault(Fault::main_reads_early) && rights == detail::reads)) return true;
  if (rights == detail::reads && object.partial == 0 && object.frontier == nullptr &&
      object.kind == Class::shared) {
    return true;
  }
  ReadyList ready;
  place.kind = class_of(rights);
  append(object, place, ready);
  if (place.enabled) {
    remove(object, place, ready);
    return true;
  }
  place.waited = true;
  place.task->pending.store(2, std::memory_order_relaxed);
  return false;
}

void hold_combining(Object& object) {
  for (;; sched_yield()) {
    const std::lock_guard lock(object.lock);
    if (object.combining) continue;
    object.combining = true;
    return;
  }
}

void go_on_combining(Object& object, ReadyList& ready) {
  std::unique_lock lock(object.lock);
  object.combining = false;
  combine(object, lock, ready);
}

void end_if_unused(Object& object) {
  if (made_elsewhere(object)) return;
  {
    const std::lock_guard lock(object.lock);
    if (object.head != nullptr) return;
  }
  end_object(&object);
}

void forget_if_last(Record& record) {
  Object& object = *record.object;
  if (!made_elsewhere(object)) return;
  const std::lock_guard lock(object.lock);
  if (object.head != &record || record.next != nullptr) return;
  object.generation.store(0, std::memory_order_release);
  object.dying.store(false, std::memory_order_release);
}

void take_turns(Task* task, ReadyList& ready) {
  Object* last = nullptr;
  for (;;) {
    // The record of the next object by address.
    Record* next = nullptr;
    for (Record& record : *task) {
      if (record.kind == Class::commuting && record.object > last &&
          (next == nullptr || record.object < next->object)) {
        next = &record;
      }
    }
    if (next == nullptr) break;
    Object& object = *next->object;
    last = &object;
    const std::lock_guard lock(object.lock);
    if (next->held) continue;
    if ((object.holder != nullptr || !next->enabled) && !fault(Fault::no_turns)) {
      next->next_other = nullptr;
      (object.last_waiting == nullptr ? object.first_waiting : object.last_waiting->next_other) = next;
      object.last_waiting = next;
      return;
    }
    object.holder = next;
    next->held = true;
  }
  ready.push(task);
}

}  // namespace lapwing::tasks
