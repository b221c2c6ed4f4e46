// SPDX-License-Identifier: Apache-2.0
// The list of records of an object, and which neighbours in it go together. Under the object's lock.
#pragma once

#include "tasks/object.hpp"

namespace lapwing::tasks {

// Neighbours of one class go together only in the same company. Updates change
// places with their siblings only: a task that comes later must not get in front
// of children whose parent it waits for elsewhere.
inline const void* company(const Record& record) {
  return record.kind == Class::commuting ? static_cast<const void*>(record.task->parent) : record.reduction;
}

inline void link_before(Object& object, Record& record, Record* next) {
  record.next = next;
  record.previous = next == nullptr ? object.tail : next->previous;
  (record.previous == nullptr ? object.head : record.previous->next) = &record;
  (next == nullptr ? object.tail : next->previous) = &record;
}

inline void unlink(Object& object, Record& record) {
  (record.previous == nullptr ? object.head : record.previous->next) = record.next;
  (record.next == nullptr ? object.tail : record.next->previous) = record.previous;
  record.next = record.previous = nullptr;
}

/// The record is enabled: its task is ready if it has waited for nothing else.
inline void let_in(Record& record, ReadyList& ready) {
  record.enabled = true;
  if (!record.waited) return;
  record.waited = false;
  if (record.task->pending.fetch_sub(1, std::memory_order_acq_rel) == 1) ready.push(record.task);
}

}  // namespace lapwing::tasks
