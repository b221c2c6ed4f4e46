// SPDX-License-Identifier: Apache-2.0
#include "tasks/object.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <lapwing/tasks/errors.hpp>

#include <cstdlib>
#include <deque>
#include <mutex>
#include <vector>

#include "tasks/failure.hpp"
#include "tasks/ranks/entry.hpp"
#include "tasks/ranks/range.hpp"

namespace lapwing::tasks {

namespace {

struct Store {
  progress::OwnedMutex mutex;
  std::deque<Object> own LAPWING_GUARDED_BY(mutex);  // on threads
  std::vector<Object*> all LAPWING_GUARDED_BY(mutex);
  std::vector<Object*> free LAPWING_GUARDED_BY(mutex);
  bool shared LAPWING_GUARDED_BY(mutex) = false;  // with other ranks
};

Store& store() {
  static Store* const only = new Store;  // outlives every static of the program
  return *only;
}

std::string readable(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? text.get() : mangled;
}

void clear(Object& object) {
  if (object.value != nullptr) object.type->drop(object.value);
  object.value = nullptr;
  ranks::end_entry(object);
  object.first_ready = object.last_ready = nullptr;
  object.head = object.tail = object.frontier = object.holder = nullptr;
  // In this order: valid() looks at them the other way round.
  object.generation.fetch_add(1, std::memory_order_release);
  object.dying.store(false, std::memory_order_release);
}

// Messages may name an object while its block is given to another.
std::mutex names;

}  // namespace

std::string Object::text() const {
  const std::lock_guard lock(names);
  // One of another rank's that has not come here: its home replaces these words.
  if (type == nullptr) return fmt::format("the object at {}", static_cast<const void*>(this));
  const std::string kind = readable(type->name);
  if (name == nullptr) return fmt::format("object {} ({})", number, kind);
  return fmt::format("'{}' (object {}, {})", *name, number, kind);
}

std::string Object::its_name() const {
  const std::lock_guard lock(names);
  return name == nullptr ? std::string() : *name;
}

void Object::describe(const detail::Type* its_type, std::uint64_t its_number, std::string its_name) {
  const std::lock_guard lock(names);
  type = its_type;
  number = its_number;
  rename_locked(std::move(its_name));
}

void Object::rename(std::string its_name) {
  const std::lock_guard lock(names);
  rename_locked(std::move(its_name));
}

void Object::rename_locked(std::string its_name) {
  name = its_name.empty() ? nullptr : std::make_unique<std::string>(std::move(its_name));
}

Object* new_object() {
  Store& all = store();
  const progress::Holding lock(all.mutex);
  const bool shared = ranks::range().begin() != 0;
  if (shared != all.shared) {  // the last run() was on threads, this one is on ranks
    all.all.clear();
    all.free.clear();
    all.shared = shared;
  }
  if (!all.free.empty()) {
    Object* const object = all.free.back();
    all.free.pop_back();
    return object;
  }
  Object* const object = shared ? ranks::range().make() : &all.own.emplace_back();
  if (object == nullptr) throw Error("a rank has made more shared objects than there are addresses for");
  all.all.push_back(object);
  object->generation = 1;  // that of a handle which was never set is 0
  return object;
}

void forget_object(Object& object) {
  clear(object);
  object.generation.store(0, std::memory_order_release);
}

void end_object(Object* object) {
  clear(*object);
  Store& all = store();
  const progress::Holding lock(all.mutex);
  all.free.push_back(object);
}

std::string describe_waits() {
  std::string text;
  Store& all = store();
  const progress::Holding lock(all.mutex);
  int lines = 0;
  std::vector<Object*> objects = all.all;
  const auto& others = ranks::range().met();
  objects.insert(objects.end(), others.begin(), others.end());
  for (Object* const each : objects) {
    Object& object = *each;
    const std::lock_guard queue(object.lock);
    std::string holders, waiters;
    for (const Record* r = object.head; r != nullptr; r = r->next) {
      const bool waits = r->waited || (r->kind == Class::commuting && !r->held && object.holder != nullptr);
      std::string& list = waits ? waiters : holders;
      if (list.size() < 300) list += (list.empty() ? "" : ", ") + text_of(*r->task);
    }
    if (waiters.empty() || ++lines > 20) continue;
    text += fmt::format("  {} wait{} for {}, which {} ha{}\n", waiters,
                        waiters.find(", task") == std::string::npos ? "s" : "", object.text(),
                        holders.empty() ? "no task" : holders,
                        holders.find(", task") == std::string::npos ? "s" : "ve");
  }
  return text;
}

void end_all_objects() {
  Store& all = store();
  const progress::Holding lock(all.mutex);
  all.free.clear();
  for (Object* const object : all.all) {
    if (object->value != nullptr || object->dying || object->entry != nullptr) clear(*object);
    all.free.push_back(object);
  }
}

}  // namespace lapwing::tasks
