// SPDX-License-Identifier: Apache-2.0
// A task and its records. A record is one access of one task: its place in the
// queue of the object. All lie in one block, the closure behind them.
#pragma once

#include <lapwing/tasks/abi.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lapwing::tasks {

struct Task;
struct Object;
struct Fiber;
struct TaskTrace;
namespace ranks {
struct Guest;
}

/// Which records of neighbours may be enabled together: those of the same
/// class, unless it is `exclusive`.
enum class Class : std::uint8_t { exclusive, shared, commuting, reducing };

/// Guarded by the object's lock, but for what its task alone looks at (`deferred`, `own`, `destroyed`).
struct Record {
  Record* next = nullptr;
  Record* previous = nullptr;
  Object* object = nullptr;
  Task* task = nullptr;
  const detail::Reduction* reduction = nullptr;
  void* own = nullptr;           // private value of a reduction, or the section
  Record* next_other = nullptr;  // among those that wait for a commuting update, or to be combined
  std::uint8_t rights = 0;
  std::uint8_t deferred = 0;  // those of the rights that with_cont() has not acquired
  Class kind = Class::exclusive;
  bool enabled = false;     // nothing before it in the queue is in its way
  bool waited : 1 = false;  // the task counts it as pending
  bool held : 1 = false;    // a commuting update whose turn it is
  bool partial = false;     // of a part of the object, its section
  bool done = false;        // given up, or its task has ended
  bool destroyed = false;   // its task has ended the object's life
};

static_assert(sizeof(Record) == 64, "a line of the cache");

/// The part of an object that a record is for.
struct Section {
  detail::Extent extent;
  std::uint32_t blockers = 0;  // records before it in the queue that are in its way
};
inline Section& section_of(const Record& record) { return *static_cast<Section*>(record.own); }

/// Where the home's central scheduler has got to with a task. Guarded by the wire's mutex.
enum class Stage : std::uint8_t {
  undecided,  // no rank is chosen
  gathers,    // parts of reductions come here, before a rank is chosen
  settled,    // it runs here, and its objects are here
  elsewhere,  // it runs on another rank; this is its place in the queues
};

struct Task {
  Task* next = nullptr;  // in an object's task queue, or in a list of ready tasks
  Task* previous = nullptr;
  Object* locality = nullptr;
  Fiber* fiber = nullptr;  // where it is suspended
  const detail::Body* body = nullptr;
  void* closure = nullptr;
  ranks::Guest* guest = nullptr;  // what another rank wants to know of it
  Task* parent = nullptr;
  std::uint64_t place = 0;                  // among the parent's children
  std::uint64_t children = 0;               // created so far
  std::atomic<std::int32_t> pending{0};     // records to be enabled, and one while being set up
  std::atomic<std::int32_t> references{1};  // itself, nested children, values that are to be combined
  std::uint32_t count = 0;                  // of records
  std::uint32_t epoch = 0;                  // advances when its rights may have changed
  std::int32_t placed = -1;                 // on a worker here; below -1: -2 less a worker of another rank
  std::int32_t target = -1;
  std::int16_t priority = 0;
  std::uint8_t block_class = 0;
  bool commutes = false;  // some updates must be taken in turn before it starts
  bool main = false;
  bool stolen = false;
  bool transfer = false;  // moves an object; the thread that makes it ready runs it
  Stage stage = Stage::undecided;
  bool assigned = false;  // the central scheduler counts it for its rank
  bool stays = false;     // not lent
  bool fresh = true;      // its parent still says what it will do
  bool destroys = false;  // its locality object, whose block is free afterwards
  Label label;
  std::source_location where;
  Record* created = nullptr;  // records of objects that it made itself, linked by next_other
  TaskTrace* trace = nullptr;

  Record* records() { return reinterpret_cast<Record*>(this + 1); }
  Record* begin() { return records(); }
  Record* end() { return records() + count; }
};

/// Drops a reference; the last one gives the block back.
void release_task(Task* task);

/// Tasks that have become ready, in order.
struct ReadyList {
  Task* first = nullptr;
  Task* last = nullptr;
  void push(Task* task) {
    task->next = nullptr;
    (last == nullptr ? first : last->next) = task;
    last = task;
  }
  Task* pop() {
    Task* const task = first;
    first = task->next;
    if (first == nullptr) last = nullptr;
    return task;
  }
  bool empty() const { return first == nullptr; }
};

}  // namespace lapwing::tasks
