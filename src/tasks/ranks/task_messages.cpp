// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/task_messages.hpp"

#include <bit>
#include <cstring>
#include <set>
#include <string>

#include "tasks/create.hpp"
#include "tasks/extent.hpp"
#include "tasks/ranks/entry.hpp"
#include "tasks/ranks/modules.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

namespace {

const char* keep(std::string text) {
  static std::set<std::string> texts;  // guarded by the wire's mutex; names of tasks are few
  return texts.insert(std::move(text)).first->c_str();
}

}  // namespace

detail::In take_bytes(detail::In& in) {
  const std::size_t size = detail::unpack_size(in);
  if (size > static_cast<std::size_t>(in.end - in.next)) detail::short_message();
  const detail::In bytes{in.next, in.next + size};
  in.next += size;
  return bytes;
}

bool collected(Record& record) {
  for (Task* task = record.task; task != nullptr && !task->main; task = task->parent) {
    if (task->guest == nullptr) continue;
    for (Guest::Part& part : task->guest->parts) {
      if (part.object != record.object) continue;
      part.values.push_back(record.own);
      return true;
    }
  }
  return false;
}

void read_parts(detail::In& in, Record& record) {
  std::size_t count = 0;
  in(count);
  if (count == 0) return;
  auto parts = std::make_unique<std::vector<void*>>();
  for (std::size_t i = 0; i < count; ++i) parts->push_back(record.object->type->unpack(nullptr, in));
  record.own = parts.release();
}

void fold_parts(Object& object, Record& record) {
  const std::unique_ptr<std::vector<void*>> parts(static_cast<std::vector<void*>*>(record.own));
  for (void* const part : *parts) {
    record.reduction->combine(object.value, part);
    record.reduction->drop(part);
  }
}

detail::Out packed_closure(const Task& task) {
  detail::Out closure;
  closure.closure = true;
  task.body->pack(task.closure, closure);
  return closure;
}

void put_head(detail::Out& out, const Task& task, int placed) {
  const std::uint64_t text = modules().encode(task.label.text);
  const bool spelled = task.label.text != nullptr && text == 0;
  out(task.place, modules().encode(task.body), text, task.label.first, task.label.second, spelled);
  if (spelled) out(std::string(task.label.text));
  out(modules().encode(std::bit_cast<std::uint64_t>(task.where)), placed, task.priority, task.count);
}

void put_task(detail::Out& out, const Task& task, int rank, int ranks, const detail::Out& closure) {
  put_head(out, task, task.placed);
  for (const Record& record : const_cast<Task&>(task)) {
    Object& object = *record.object;
    out(handle_of(object), record.rights, record.deferred, record.kind, record.partial);
    if (record.partial) out(section_of(record).extent);
    if (record.kind != Class::reducing) continue;
    const int owner = entry_of(object, ranks).copies.owner();
    out(modules().encode(record.reduction), modules().encode(object.type), owner == rank ? -1 : owner);
  }
  out(closure.addresses, closure.data);
}

Head read_head(const Job& job, detail::In& in, bool with_sections) {
  job.wire.mutex.assert_held();
  std::uint64_t place = 0, code = 0, text = 0, where = 0;
  Label label;
  bool spelled = false;
  std::string name;
  int placed = -1;
  std::uint32_t records = 0;
  in(place, code, text, label.first, label.second, spelled);
  if (spelled) in(name);
  label.text = spelled ? keep(std::move(name)) : modules().decode_as<char>(text);
  std::int16_t priority = 0;
  in(where, placed, priority, records);
  Task& task = *allocate_task(*Worker::self(), *modules().decode_as<detail::Body>(code), records,
                              with_sections ? records : 0);
  task.parent = &job.runtime.main;
  task.place = place;
  task.label = label;
  task.where = std::bit_cast<std::source_location>(modules().decode(where));
  task.placed = job.here(placed);
  task.priority = priority;
  task.fresh = false;
  return {task, records};
}

void start_task(const Job& job, detail::In& in, Task& task) {
  Worker& worker = *Worker::self();
  for (Record& record : task) {
    if (record.kind == Class::commuting) task.commutes = true;
    if (record.kind == Class::reducing) task.references.fetch_add(1);
  }
  if (task.count > 0) task.locality = task.records()->object;
  std::vector<std::uint32_t> addresses;
  in(addresses);
  detail::In from = take_bytes(in);
  std::vector<char> closure;
  if (!addresses.empty()) {
    closure.assign(from.next, from.end);
    from = {closure.data(), closure.data() + closure.size()};
  }
  for (const std::uint32_t at : addresses) {
    std::uint64_t word = 0;
    std::memcpy(&word, closure.data() + at, 8);
    word = modules().decode(word);
    std::memcpy(closure.data() + at, &word, 8);
  }
  task.body->unpack(task.closure, from);
  count(worker.created);
  if (job.runtime.trace != nullptr) job.runtime.trace->created(task);
  enter_task(task, worker);
}

void start_guest(const Job& job, detail::In& in) {
  const Head head = read_head(job, in, true);
  Task& task = head.task;
  task.guest = new Guest{true, job.runtime.options.central, task.place, {}};
  Section* next = first_section(task, head.records);
  for (; task.count < head.records; ++task.count) {
    Record& record = *::new (task.records() + task.count) Record;
    detail::Handle what;
    in(what, record.rights, record.deferred, record.kind, record.partial);
    if (record.partial) {
      Extent part;
      in(part);
      make_partial(record, part, next);
    }
    record.object = &job.object_at(what);
    record.task = &task;
    if (record.kind != Class::reducing) continue;
    std::uint64_t reduction = 0, type = 0;
    int to = -1;
    in(reduction, type, to);
    record.reduction = modules().decode_as<detail::Reduction>(reduction);
    if (to >= 0) {
      task.guest->parts.push_back(
          {record.object, modules().decode_as<detail::Type>(type), record.reduction, to});
    }
  }
  start_task(job, in, task);
}

}  // namespace lapwing::tasks::ranks
