// SPDX-License-Identifier: Apache-2.0
// What running tasks, and the main program, do with objects.
#include <fmt/format.h>

#include "tasks/create.hpp"
#include "tasks/extent.hpp"
#include "tasks/planted.hpp"
#include "tasks/queue.hpp"
#include "tasks/ranks/ranks.hpp"
#include "tasks/rights.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::detail {

namespace {

Worker& user(const char* doing) {
  Worker* const worker = Worker::self();
  if (worker == nullptr) throw Error(fmt::format("{} outside of run()", doing));
  return *worker;
}

void go_on(ReadyList& ready) {
  if (!ready.empty()) Worker::self()->schedule(ready, nullptr);
}

Grant grant_main(Task& main, Object& object, std::uint8_t rights, Runtime& runtime,
                 const Extent* part = nullptr) {
  if (runtime.failure.any()) runtime.drain();
  Recording* const recording = runtime.trace == nullptr ? nullptr : runtime.trace->recording();
  if (recording != nullptr) recording->main_enters();
  // Its part of a reduction is the object itself.
  if ((rights & (commutes | reduces)) != 0) rights = reads | writes;
  if (runtime.ranks != nullptr && !runtime.ranks->central.on())
    runtime.ranks->home.used_by_main(object, rights);
  Record place;
  place.object = &object;
  place.task = &main;
  place.rights = rights;
  Section section;
  if (part != nullptr) {
    section.extent = normal(*part);
    place.partial = true;
    place.own = &section;
  }
  if (!usable_by_main(object, rights, place)) {
    Worker::suspend();
    ReadyList ready;
    leave(place, ready);
    go_on(ready);
    if (runtime.failure.any()) runtime.drain();
  }
  if (runtime.ranks != nullptr && runtime.ranks->central.on()) {
    runtime.ranks->central.ensure_here(main, object, rights);
    if (runtime.failure.any()) runtime.drain();
  }
  if (object.value == nullptr) throw destroyed(main, object, "uses");
  if (recording != nullptr) {
    recording->main_uses(object, rights);
    recording->main_leaves();
  }
  return {object.value, &main.epoch, main.epoch};
}

void wait_until_usable(Record& record, std::uint8_t rights, Task& task) {
  if (usable(record, rights)) return;
  Worker::suspend();
  Worker::self()->runtime.failure.check(task);
}

// An object whose readers have been let in before all of it has come.
void wait_until_landed(Task& task, Object& object, std::size_t size) {
  if (!object.landing.load(std::memory_order_acquire)) return;
  Worker::self()->runtime.ranks->transfers.wait_until_landed(task, object, size);
  if (!task.main) Worker::self()->runtime.failure.check(task);
}

constexpr std::size_t all = static_cast<std::size_t>(-1);

Grant grant_of(Handle handle, std::uint8_t rights, const Reduction* reduction, const Type* type,
               std::size_t size) {
  Worker& worker = user("a shared object is used");
  Task& task = *worker.current;
  Object& object = valid(handle, type, task, "uses");
  if (task.main) {
    const Grant granted = grant_main(task, object, rights, worker.runtime);
    wait_until_landed(task, object, size);
    return granted;
  }
  Record* const record = find_record(task, object);
  require_whole(record, object, task, rights);
  require_right(record, object, task, rights, reduction);
  if (record->kind == Class::reducing) {
    if (record->own == nullptr) record->own = reduction->make(object.value);
    return {record->own, &task.epoch, task.epoch};
  }
  wait_until_usable(*record, rights, task);
  if (object.value == nullptr) throw destroyed(task, object, "uses");
  wait_until_landed(task, object, size);
  return {object.value, &task.epoch, task.epoch};
}

}  // namespace

Grant grant(Handle handle, std::uint8_t rights, const Reduction* reduction, const Type* type) {
  return grant_of(handle, rights, reduction, type, all);
}

// The task's declarations tell whether it means the object or a borrowed copy. A loan
// may know an older object in the same place.
void* value_here(ObjectHead* object) {
  for (const Record& record : *user("a shared object is used").current) {
    if (ranks::handle_of(*record.object).object == object) return record.object->value;
  }
  return object->value;
}

Grant grant_extent(Handle handle, std::uint8_t rights, const Extent& part, const Type* type) {
  Worker& worker = user("a part of a shared object is used");
  Task& task = *worker.current;
  Object& object = valid(handle, type, task, "uses");
  const std::size_t size = rights == reads ? end_of(part) : all;
  if (task.main) {
    const Grant granted = grant_main(task, object, rights, worker.runtime, &part);
    wait_until_landed(task, object, size);
    return granted;
  }
  Record* const first = find_record(task, object);
  if (first == nullptr || !first->partial || first->done)
    return grant_of(handle, rights, nullptr, type, size);
  if ((rights & commutes) != 0) rights = reads | writes;
  require_part(task, object, rights, part);
  for (Record& record : task) {
    if (record.object != &object || record.done || !overlap(section_of(record).extent, normal(part)))
      continue;
    wait_until_usable(record, rights, task);
  }
  if (object.value == nullptr) throw destroyed(task, object, "uses");
  wait_until_landed(task, object, size);
  return {object.value, &task.epoch, task.epoch};
}

void beyond(Handle object, std::uint64_t end, std::uint64_t size) {
  const Worker* const worker = Worker::self();
  throw Error(fmt::format("{} uses a part of {} that ends at element {}, but there are {}",
                          worker == nullptr ? "the program" : text_of(*worker->current),
                          static_cast<Object*>(object.object)->text(), end, size));
}

Grant grant_part(Handle handle, std::size_t size, const Type* type) {
  return grant_of(handle, reads, nullptr, type, size);
}

namespace {

// Calls for each record of the running task that a change is about.
template <class Do>
void for_records(Task& task, Object& object, const Change& change, std::uint8_t rights, Do act) {
  Record* const any = find_record(task, object);
  Record* first = change.part == nullptr ? any : find_record(task, object, *change.part);
  if (first == nullptr && any != nullptr && !any->partial && takes_parts_whole()) {
    // Its other parts are still wanted, perhaps.
    return change.acquired != 0 ? act(*any) : void();
  }
  if (first == nullptr) {
    if (change.part != nullptr) require_part(task, object, rights, *change.part);
    require_right(nullptr, object, task, rights, nullptr);
  }
  if (!first->partial || change.part != nullptr) return act(*first);
  for (Record& record : task) {
    if (record.object == &object) act(record);
  }
}

void give_up(Worker& worker, Task& task, const Change& each, ReadyList& ready) {
  Object& object = valid(each.what, nullptr, task, "gives up");
  for_records(task, object, each, each.released, [&](Record& record) {
    if (!record.done) weaken(record, each.released, ready);
  });
  if (worker.runtime.trace != nullptr) worker.runtime.trace->changed(task, object, 0, each.released);
  bool done = true;
  for (const Record& record : task) done = done && (record.object != &object || record.done);
  // An object that it has no part in any more may end while the task is ready again.
  if (done && task.locality == &object && !fault(Fault::stale_locality)) task.locality = nullptr;
}

void acquire(Task& task, const Change& each) {
  Object& object = valid(each.what, nullptr, task, "acquires");
  for_records(task, object, each, each.acquired, [&](Record& record) {
    const auto deferred = record.deferred;
    if (each.part == nullptr && record.partial && (deferred & each.acquired) == 0) return;
    record.deferred &= static_cast<std::uint8_t>(~each.acquired);
    try {
      require_right(&record, object, task, each.acquired, nullptr);
    } catch (...) {
      record.deferred = deferred;
      throw;
    }
    Trace* const trace = Worker::self()->runtime.trace.get();
    if (trace != nullptr) trace->changed(task, object, each.acquired, 0);
    wait_until_usable(record, each.acquired, task);
    ranks::Ranks* const ranks = Worker::self()->runtime.ranks.get();
    if (ranks != nullptr && ranks->central.on() && ranks->job.home() && !ranks::in_loan(task))
      ranks->central.ensure_here(task, object, each.acquired);
  });
}

}  // namespace

void change(const Change* changes, std::size_t count) {
  Worker& worker = user("with_cont() is called");
  Task& task = *worker.current;
  if (task.main) return;  // it has all rights, and waits where it uses them
  ++task.epoch;
  ReadyList ready;
  for (const Change* each = changes; each != changes + count; ++each) {
    if (each->released != 0) give_up(worker, task, *each, ready);
  }
  go_on(ready);
  for (const Change* each = changes; each != changes + count; ++each) {
    if (each->acquired != 0) acquire(task, *each);
  }
}

Handle create(const Type* type, void* value, std::string name, std::source_location) {
  Worker& worker = user("a shared object is created");
  Task& task = *worker.current;
  Runtime& runtime = worker.runtime;
  Object* const object = new_object();
  object->value = value;
  const std::uint64_t number = runtime.objects.fetch_add(1, std::memory_order_relaxed);
  object->describe(type, number, std::move(name));
  // The main program's objects are spread; a task's are where it is.
  const auto all = static_cast<std::uint64_t>(runtime.workers.size());
  object->owner.store(task.main ? static_cast<std::int32_t>(number % all) : worker.index,
                      std::memory_order_relaxed);
  if (!task.main) {
    // Its maker has every right, and may hand them to its children.
    auto* const record = new Record;
    record->object = object;
    record->task = &task;
    record->rights = reads | writes;
    record->next_other = task.created;
    task.created = record;
    enter(*record, nullptr);
  }
  return {object, object->generation.load(std::memory_order_relaxed)};
}

void rename(Handle handle, const Type* type, std::string name) {
  Object& object = valid(handle, type, *user("a shared object is named").current, "names");
  object.rename(std::move(name));
}

// A task of its own that comes after all earlier uses and before all later ones.
void destroy(Handle handle, const Type* type) {
  Task& task = *user("a shared object is destroyed").current;
  Object& object = valid(handle, type, task, "destroys");
  if (const Record* const record = find_record(task, object); record != nullptr && record->destroyed) {
    throw destroyed(task, object, "destroys");
  }
  const Declaration all{handle, reads | writes, false, nullptr, type};
  static constexpr Body body{"destroy",
                             sizeof(Object*),
                             alignof(Object*),
                             [](void* closure) {
                               Object& dead = **static_cast<Object**>(closure);
                               dead.type->drop(dead.value);
                               dead.value = nullptr;
                             },
                             [](void*) {},
                             nullptr,
                             nullptr};
  const Request request{&all, 1, &body, named("destroy"), {}, {}};
  const Prepared prepared = prepare(request);
  *static_cast<Object**>(prepared.closure) = &object;
  static_cast<Task*>(prepared.task)->destroys = true;
  if (task.main) object.dying.store(true, std::memory_order_relaxed);
  if (!task.main) find_record(task, object)->destroyed = true;
  launch(prepared.task);
}

}  // namespace lapwing::tasks::detail
