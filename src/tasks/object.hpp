// SPDX-License-Identifier: Apache-2.0
// A shared object as the library sees it: the queue of its accesses, its tasks
// that are ready, and who owns it.
#pragma once

#include <lapwing/tasks/abi.hpp>

#include <memory>
#include <string>

#include "progress/locks.hpp"
#include "tasks/task.hpp"

namespace lapwing::tasks {

namespace ranks {
struct Entry;
}

struct alignas(64) Object : detail::ObjectHead {
  bool made = true;  // its memory is zero where it was never met
  // The synchroniser's part (queue.hpp). The enabled records are the longest
  // beginning of the queue whose members do not disturb each other; `frontier`
  // is the first record behind it.
  progress::SpinLock lock;
  std::atomic<bool> dying{false};    // destroy() has been passed
  bool combining = false;            // someone combines parts of a reduction
  std::atomic<bool> landing{false};  // a part of its value is still on its way
  Class kind = Class::exclusive;     // of the enabled records
  const void* company = nullptr;     // of the enabled records
  std::uint32_t enabled = 0;
  std::uint32_t partial = 0;  // records of parts: where there are any, queue_parts.hpp has the rules
  Record* head = nullptr;
  Record* tail = nullptr;
  Record* frontier = nullptr;
  Record* holder = nullptr;  // the commuting update whose turn it is
  Record* first_waiting = nullptr;
  Record* last_waiting = nullptr;
  Record* to_combine = nullptr;  // parts that may be combined in any order

  // The scheduler's part (scheduler.hpp), guarded by the lock of the processor
  // where it is queued.
  alignas(64) Task* first_ready = nullptr;
  Task* last_ready = nullptr;
  Object* next = nullptr;
  Object* previous = nullptr;
  std::atomic<std::int32_t> queued_at{-1};
  std::atomic<std::int32_t> owner{0};

  const detail::Type* type = nullptr;
  std::uint64_t number = 0;
  std::unique_ptr<std::string> name;
  ranks::Entry* entry = nullptr;  // where it is, as the rank of the main program knows

  /// "panel 3 (object 17, double)".
  std::string text() const;
  std::string its_name() const;
  void describe(const detail::Type* its_type, std::uint64_t its_number, std::string its_name);
  void rename(std::string its_name);

 private:
  void rename_locked(std::string its_name);
};

/// Blocks of objects are kept for ever: an old handle must be recognised.
Object* new_object();
/// Ends the value and the handles; no task may have it in a queue.
void end_object(Object* object);
/// The waits, a line for each object that a task waits for.
std::string describe_waits();
/// Ends the value only: the object itself is another rank's.
void forget_object(Object& object);
/// All objects that are not free, for the end of a program.
void end_all_objects();

}  // namespace lapwing::tasks
