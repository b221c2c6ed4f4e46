// SPDX-License-Identifier: Apache-2.0
#include "tasks/rights.hpp"

#include <fmt/format.h>

#include <vector>

#include "tasks/extent.hpp"
#include "tasks/failure.hpp"
#include "tasks/ranks/range.hpp"
#include "tasks/ranks/ranks.hpp"

namespace lapwing::tasks {

namespace {

// An exclusive record that came of a commuting update allows everything.
std::uint8_t effective(const Record& record) {
  if ((record.rights & detail::commutes) == 0) return record.rights;
  return record.rights | detail::reads | detail::writes;
}

bool covers(std::uint8_t having, std::uint8_t wanted) {
  if ((wanted & detail::commutes) != 0) wanted = detail::reads | detail::writes;
  if ((wanted & detail::reduces) != 0) {
    return (having & detail::reduces) != 0 || (having & 3) == (detail::reads | detail::writes);
  }
  return (wanted & ~having) == 0;
}

}  // namespace

std::string words(std::uint8_t rights) {
  if ((rights & detail::reduces) != 0) return "reduction";
  if ((rights & detail::commutes) != 0) return "commuting update";
  if (rights == detail::reads) return "read";
  return rights == detail::writes ? "write" : "read and write";
}

Error destroyed(const Task& task, const Object& object, const char* doing) {
  return Error(
      fmt::format("{} {} {}, which the program has destroyed before", text_of(task), doing, object.text()));
}

Object& valid(const detail::Handle& handle, const detail::Type* type, const Task& task, const char* doing) {
  if (handle.object == nullptr) {
    throw Error(fmt::format("{} {} a shared object that was never created", text_of(task), doing));
  }
  auto& object = *static_cast<Object*>(handle.object);
  if (ranks::range().begin() != 0) {
    if (Object* const copy = ranks::borrowed(handle, task)) return *copy;
  }
  // An object that another rank has made is known here once its value has come.
  if (ranks::range().begin() != 0 && !ranks::meet(handle, type, task)) return object;
  const bool dying = object.dying.load(std::memory_order_acquire);
  if (object.generation.load(std::memory_order_acquire) != handle.generation) {
    throw Error(fmt::format("{} {} an object that has been destroyed, or belongs to a run() that has ended",
                            text_of(task), doing));
  }
  const bool by_main = task.main || (task.parent->main && task.fresh);
  if (dying && by_main) throw destroyed(task, object, doing);
  return object;
}

// An object that was given up may since have been destroyed, and its block be another
// object's, so such a record is only the last choice.
Record* find_record(const Task& task, const Object& object) {
  Record* ended = nullptr;
  Record* const records = const_cast<Task&>(task).records();
  for (std::uint32_t i = 0; i < task.count; ++i) {
    if (records[i].object != &object) continue;
    if (!records[i].done) return &records[i];
    ended = &records[i];
  }
  for (Record* record = task.created; record != nullptr; record = record->next_other) {
    if (record->object != &object) continue;
    if (!record->done) return record;
    if (ended == nullptr) ended = record;
  }
  return ended;
}

Record* find_record(const Task& task, const Object& object, const detail::Extent& part) {
  for (Record& record : const_cast<Task&>(task)) {
    if (record.object == &object && record.partial && section_of(record).extent == normal(part))
      return &record;
  }
  return nullptr;
}

namespace {

// The parts of the object to which the task has the rights, now or, `later`, after with_cont().
bool has_part(const Task& task, const Object& object, std::uint8_t rights, const detail::Extent& part,
              bool later) {
  std::vector<const detail::Extent*> having;
  for (const Record& record : const_cast<Task&>(task)) {
    if (record.object != &object || !record.partial || record.done || !covers(effective(record), rights))
      continue;
    if (later || (record.deferred & rights) == 0) having.push_back(&section_of(record).extent);
  }
  return covered(part, having);
}

}  // namespace

void require_part(const Task& task, const Object& object, std::uint8_t rights, const detail::Extent& part) {
  if (has_part(task, object, rights, part, false)) return;
  const char* const why = !has_part(task, object, rights, part, true)
                              ? "of which it did not declare every byte so"
                              : "which is deferred: it must say so in with_cont() before";
  throw Error(fmt::format("{} asks for a {} of {} of {}, {}", text_of(task), words(rights), text_of(part),
                          object.text(), why));
}

void require_whole(const Record* record, const Object& object, const Task& task, std::uint8_t rights) {
  if (record == nullptr || !record->partial) return;
  throw Error(fmt::format("{} asks for a {} of {}, of which it declared only parts", text_of(task),
                          words(rights), object.text()));
}

void require_covered(const Record& child, const Task& parent) {
  const Record* const record = find_record(parent, *child.object);
  if (record != nullptr && record->destroyed) throw destroyed(*child.task, *child.object, "declares");
  if (record != nullptr && record->partial) {
    if (child.partial && has_part(parent, *child.object, child.rights, section_of(child).extent, true))
      return;
  } else if (record != nullptr && !record->done && covers(effective(*record), child.rights) &&
             ((record->rights & detail::reduces) == 0 || record->reduction == child.reduction)) {
    return;
  }
  throw Error(fmt::format("{} declares a {} of {}, but its parent, {}, {}", text_of(*child.task),
                          words(child.rights), child.object->text(), text_of(parent),
                          record == nullptr ? "did not declare that object"
                          : record->done    ? "has given it up"
                          : record->partial ? "has not declared every byte of that so"
                                            : "has declared only a " + words(record->rights)));
}

void require_right(const Record* record, const Object& object, const Task& task, std::uint8_t rights,
                   const detail::Reduction* reduction) {
  const char* why = nullptr;
  std::string declared;
  if (record == nullptr) {
    why = "which it did not declare";
  } else if (record->destroyed) {
    throw destroyed(task, object, "uses");
  } else if (record->done) {
    why = "which it has given up";
  } else if (!covers(effective(*record), rights) ||
             ((record->rights & detail::reduces) != 0 && record->reduction != reduction)) {
    declared = "but declared only a " + words(record->rights);
    why = declared.c_str();
  } else if ((record->deferred & rights) != 0) {
    why = "which is deferred: it must say so in with_cont() before";
  }
  if (why == nullptr) return;
  throw Error(fmt::format("{} asks for a {} of {}, {}", text_of(task), words(rights), object.text(), why));
}

}  // namespace lapwing::tasks
