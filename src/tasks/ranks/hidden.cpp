// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/hidden.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

#include "tasks/create.hpp"
#include "tasks/planted.hpp"
#include "tasks/queue.hpp"
#include "tasks/ranks/messages.hpp"
#include "tasks/ranks/ranks.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

namespace {

constexpr std::size_t most_along = 8192;  // bytes of an object that go along with a batch

const detail::Body hidden_body{"a transfer",
                               sizeof(Hidden),
                               alignof(Hidden),
                               [](void*) {},
                               [](void* closure) { static_cast<Hidden*>(closure)->~Hidden(); },
                               nullptr,
                               nullptr};

}  // namespace

void Ranks::enter_hidden(Object& object, std::uint8_t rights, const detail::Reduction* reduction,
                         Hidden hidden) {
  Worker& worker = *Worker::self();
  Task& task = *allocate_task(worker, hidden_body, 1);
  ::new (task.closure) Hidden(std::move(hidden));
  auto& what = *static_cast<Hidden*>(task.closure);
  task.hidden = true;
  task.parent = &runtime_.main;
  task.count = 1;
  task.fresh = false;
  Record& record = *::new (task.records()) Record;
  record.object = &object;
  record.task = &task;
  record.reduction = reduction;
  record.rights = rights;
  record.kind = class_of(rights);
  if (record.kind == Class::reducing) task.references.store(2);
  std::int32_t missing = 1;  // this very setting up
  if (what.kind == Hidden::receive || what.kind == Hidden::part) {
    const Key key{&object,
                  what.kind == Hidden::part ? part_key(what.place) : version_key(what.what, what.version)};
    if (const auto found = early_.find(key); found != early_.end()) {
      what.data = std::move(found->second);
      early_.erase(found);
    } else {
      awaited_.emplace(key, &task);
      ++missing;
    }
  }
  task.pending.store(missing + 1, std::memory_order_relaxed);
  const std::int32_t there = enter(record, nullptr) ? 2 : 1;
  if (task.pending.fetch_sub(there, std::memory_order_acq_rel) == there) run_hidden(&task);
}

void Ranks::run_hidden(Task* task) {
  auto& hidden = *static_cast<Hidden*>(task->closure);
  Record& record = *task->records();
  Object& object = *record.object;
  switch (hidden.kind) {
    case Hidden::send:
      if (fault(Fault::lost_version)) break;
      if (waits_for_landing(task)) return;
      if (send_as_bulk(task)) return;  // it ends when all has left
      send_object(object, hidden);
      break;
    case Hidden::receive:
      if (!hidden.landed) install(object, hidden);
      break;
    case Hidden::part:
      unpack_parts(object, record, hidden);
      break;
    case Hidden::drop:
      if (object.value != nullptr) object.type->drop(object.value);
      object.value = nullptr;
      break;
  }
  end_hidden(task);
}

void Ranks::end_hidden(Task* task) {
  auto& hidden = *static_cast<Hidden*>(task->closure);
  Record& record = *task->records();
  Object& object = *record.object;
  const bool drops = hidden.kind == Hidden::drop;
  hidden_body.drop(&hidden);
  ReadyList ready;
  leave(record, ready);
  if (drops) end_if_unused(object);
  if (!ready.empty()) Worker::self()->schedule(ready, nullptr);
  release_task(task);
}

void Ranks::fail(const std::string& sentence) {
  std::fputs(("lapwing: " + sentence + "\n").c_str(), stderr);
  wire_.abort();
  __builtin_unreachable();
}

void Ranks::put_object(detail::Out& out, const Object& object, const Hidden& hidden, Form form) {
  out& hidden.what.object& hidden.what.generation& hidden.version& form;
  put_failure(out);
  if (form != Form::absent) out& modules().encode(object.type) & object.number& object.its_name();
}

void Ranks::send_object(Object& object, const Hidden& hidden) {
  // Its memory is used again, but for that of long messages; one sending may bring about another.
  static thread_local detail::Bytes spare;
  detail::Out out;
  out.data = std::move(spare);
  out.data.clear();
  const bool there =
      object.value != nullptr && object.generation.load(std::memory_order_relaxed) == hidden.what.generation;
  put_object(out, object, hidden, there ? Form::packed : Form::absent);
  if (there) {
    // Parts are combined into it meanwhile: not while it is being read.
    const bool shape = (hidden.version & shape_only) != 0;
    if (shape) hold_combining(object);
    try {
      object.type->pack(object.value, out);
    } catch (const std::exception& error) {
      fail(fmt::format("{} cannot be sent from rank {} to rank {}: {}", object.text(), rank_, hidden.to,
                       error.what()));
    }
    if (shape) {
      ReadyList ready;
      go_on_combining(object, ready);
      if (!ready.empty()) Worker::self()->schedule(ready, nullptr);
    }
  }
  const std::lock_guard lock(wire_.mutex);
  if (moving_ahead_ && out.data.size() <= most_along) {
    batch(hidden.to) & Event::object& out.data;
  } else {
    wire_.send_object(hidden.to, Message::object, std::move(out.data));
  }
  spare = std::move(out.data);
}

// Reads the description of an object before its value, and the form in which that comes.
Form Ranks::meet_version(Object& object, const Hidden& hidden, detail::In& in) {
  Form form{};
  in& form;
  get_failure(in);
  const bool other = object.generation.load(std::memory_order_relaxed) != hidden.what.generation;
  if ((other || form == Form::absent) && object.value != nullptr) {
    object.type->drop(object.value);
    object.value = nullptr;
  }
  if (form == Form::absent) return form;
  std::uint64_t type = 0, number = 0;
  std::string name;
  in& type& number& name;
  if (other || object.value == nullptr) {
    object.describe(modules().decode_as<detail::Type>(type), number, std::move(name));
    object.generation.store(hidden.what.generation, std::memory_order_release);
  }
  return form;
}

void Ranks::install(Object& object, const Hidden& hidden) {
  detail::In in{hidden.data.data, hidden.data.data + hidden.data.size};
  const Form form = meet_version(object, hidden, in);
  if (form == Form::absent) return;
  try {
    if (form == Form::bulk) {
      take_bulk(object, hidden, in);
    } else {
      object.value = object.type->unpack(object.value, in);
    }
  } catch (const std::exception& error) {
    fail(fmt::format("{} cannot be received on rank {}: {} ({} bytes)", object.text(), rank_, error.what(),
                     hidden.data.size));
  }
}

void Ranks::unpack_parts(Object& object, Record& record, const Hidden& hidden) {
  detail::In in{hidden.data.data, hidden.data.data + hidden.data.size};
  get_failure(in);
  std::size_t count = 0;
  in& count;
  if (count == 0 || object.value == nullptr) return;
  auto parts = std::make_unique<std::vector<void*>>();
  for (std::size_t i = 0; i < count; ++i) parts->push_back(object.type->unpack(nullptr, in));
  record.own = parts.release();
}

void fold_parts(Object& object, Record& record) {
  const std::unique_ptr<std::vector<void*>> parts(static_cast<std::vector<void*>*>(record.own));
  for (void* const part : *parts) {
    record.reduction->combine(object.value, part);
    record.reduction->drop(part);
  }
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

}  // namespace lapwing::tasks::ranks
