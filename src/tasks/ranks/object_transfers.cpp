// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/object_transfers.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "tasks/create.hpp"
#include "tasks/planted.hpp"
#include "tasks/queue.hpp"
#include "tasks/ranks/entry.hpp"
#include "tasks/ranks/loans.hpp"
#include "tasks/ranks/modules.hpp"
#include "tasks/ranks/range.hpp"
#include "tasks/ranks/task_messages.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

namespace {

constexpr std::size_t most_along = 8192;  // bytes of an object that go along with a batch

const detail::Body transfer_body{"a transfer",
                                 sizeof(Transfer),
                                 alignof(Transfer),
                                 [](void*) {},
                                 [](void* closure) { static_cast<Transfer*>(closure)->~Transfer(); },
                                 nullptr,
                                 nullptr};

}  // namespace

void ObjectTransfers::enter(Object& object, std::uint8_t rights, const detail::Reduction* reduction,
                            Transfer transfer) {
  job_.wire.mutex.assert_held();
  Worker& worker = *Worker::self();
  Task& task = *allocate_task(worker, transfer_body, 1);
  ::new (task.closure) Transfer(std::move(transfer));
  auto& what = *static_cast<Transfer*>(task.closure);
  task.transfer = true;
  task.parent = &job_.runtime.main;
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
  if (what.kind == Transfer::receive || what.kind == Transfer::part) {
    const ArrivalKey key{
        &object, what.kind == Transfer::part ? part_key(what.place) : version_key(what.what, what.version)};
    if (auto early = arrivals_.take(key)) {
      what.data = std::move(*early);
    } else {
      arrivals_.expect(key, &task);
      ++missing;
    }
  }
  task.pending.store(missing + 1, std::memory_order_relaxed);
  const std::int32_t there = tasks::enter(record, nullptr) ? 2 : 1;
  if (task.pending.fetch_sub(there, std::memory_order_acq_rel) == there) run(&task);
}

void ObjectTransfers::move(Object& object, const Move& move) {
  job_.wire.mutex.assert_held();
  ++moved_;
  const detail::Handle what = handle_of(object);
  // The receiver is told first: bytes that come then find their place.
  if (move.to == job_.rank) {
    enter(object, replaces, nullptr, {Transfer::receive, what, move.version});
  } else {
    outbox_.to(move.to)(Event::receive, what, move.version, -1);
  }
  if (move.from == job_.rank) {
    with_batch_ = true;
    enter(object, detail::reads, nullptr, {Transfer::send, what, move.version, move.to});
    with_batch_ = false;
  } else {
    outbox_.to(move.from)(Event::send, what, move.version, move.to, std::uint64_t{0});
  }
}

void ObjectTransfers::run(Task* task) {
  auto& transfer = *static_cast<Transfer*>(task->closure);
  Record& record = *task->records();
  Object& object = *record.object;
  switch (transfer.kind) {
    case Transfer::send:
      if (fault(Fault::lost_version)) break;
      if (waits_for_landing(task)) return;
      if (send_as_bulk(task)) return;  // it ends when all has left
      send(object, transfer);
      break;
    case Transfer::receive:
      if (!transfer.landed) install(object, transfer);
      break;
    case Transfer::part: {
      detail::In in = transfer.data.all();
      failures_.take_place(in);
      if (object.value != nullptr) read_parts(in, record);
      break;
    }
    case Transfer::drop:
      if (object.value != nullptr) object.type->drop(object.value);
      object.value = nullptr;
      break;
  }
  end(task);
}

void ObjectTransfers::end(Task* task) {
  auto& transfer = *static_cast<Transfer*>(task->closure);
  Record& record = *task->records();
  Object& object = *record.object;
  const bool drops = transfer.kind == Transfer::drop;
  transfer_body.drop(&transfer);
  ReadyList ready;
  if (drops) forget_if_last(record);
  leave(record, ready);
  if (drops && fault(Fault::late_end)) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  if (drops) end_if_unused(object);
  if (!ready.empty()) Worker::self()->schedule(ready, nullptr);
  release_task(task);
}

void ObjectTransfers::put_object(detail::Out& out, const Object& object, const Transfer& transfer,
                                 Form form) const {
  out(transfer.what.object, transfer.what.generation, transfer.version, form);
  failures_.put_place(out);
  if (form != Form::absent) out(modules().encode(object.type), object.number, object.its_name());
}

void ObjectTransfers::send(Object& object, const Transfer& transfer) {
  // Its memory is used again, but for that of long messages; one sending may bring about another.
  static thread_local detail::Bytes spare;
  detail::Out out;
  out.data = std::move(spare);
  out.data.clear();
  const bool there = object.value != nullptr &&
                     object.generation.load(std::memory_order_relaxed) == transfer.what.generation;
  put_object(out, object, transfer, there ? Form::packed : Form::absent);
  if (there) {
    // Parts are combined into it meanwhile: not while it is being read.
    const bool shape = (transfer.version & shape_only) != 0;
    if (shape) hold_combining(object);
    try {
      object.type->pack(object.value, out);
    } catch (const std::exception& error) {
      job_.fail(fmt::format("{} cannot be sent from rank {} to rank {}: {}", object.text(), job_.rank,
                            transfer.to, error.what()));
    }
    if (shape) {
      ReadyList ready;
      go_on_combining(object, ready);
      if (!ready.empty()) Worker::self()->schedule(ready, nullptr);
    }
  }
  const progress::Holding lock(job_.wire.mutex);
  if (with_batch_ && out.data.size() <= most_along) {
    outbox_.to(transfer.to)(Event::object, out.data);
  } else {
    job_.wire.send_object(transfer.to, Message::object, std::move(out.data));
  }
  spare = std::move(out.data);
}

// Reads the description of an object before its value, and the form in which that comes.
Form ObjectTransfers::meet_version(Object& object, const Transfer& transfer, detail::In& in) const {
  Form form{};
  in(form);
  failures_.take_place(in);
  const bool other = object.generation.load(std::memory_order_relaxed) != transfer.what.generation;
  if ((other || form == Form::absent) && object.value != nullptr) {
    object.type->drop(object.value);
    object.value = nullptr;
  }
  if (form == Form::absent) return form;
  std::uint64_t type = 0, number = 0;
  std::string name;
  in(type, number, name);
  if (other || object.value == nullptr) {
    object.describe(modules().decode_as<detail::Type>(type), number, std::move(name));
    object.generation.store(transfer.what.generation, std::memory_order_release);
  }
  return form;
}

void ObjectTransfers::install(Object& object, const Transfer& transfer) {
  detail::In in = transfer.data.all();
  const Form form = meet_version(object, transfer, in);
  if (form == Form::absent) return;
  try {
    if (form == Form::bulk) {
      take_bulk(object, transfer, in);
    } else {
      object.value = object.type->unpack(object.value, in);
    }
  } catch (const std::exception& error) {
    job_.fail(fmt::format("{} cannot be received on rank {}: {} ({} bytes)", object.text(), job_.rank,
                          error.what(), transfer.data.size));
  }
}

void ObjectTransfers::fetch(const Fetches::Fetch& fetch) const {
  detail::Out out;
  out(fetch.what, fetch.version, job_.rank);
  job_.wire.send(fetch.owner, Message::fetch, out.data.data(), out.data.size());
}

void ObjectTransfers::fetch_in_turn(ArrivalKey key, const Fetches::Fetch& its) {
  job_.wire.mutex.assert_held();
  if (fetches_.now(key, its, arrivals_, job_.runtime.options.concurrent_fetches)) fetch(its);
}

void ObjectTransfers::next_task() {
  job_.wire.mutex.assert_held();
  fetches_.next_task();
}

void ObjectTransfers::version_arrived(int source, ArrivalKey key, detail::In in, Arrived message) {
  if (!bulk_comes(source, key, in, message)) arrived(key, in, std::move(message));
}

void ObjectTransfers::arrived(ArrivalKey key, detail::In in, Arrived message) {
  job_.wire.mutex.assert_held();
  if (taken_first && taken_first(key, in, message)) return;
  Task* const task = arrivals_.task_for(key);
  // Where all that is waited for is this, it is read where it lies.
  const bool at_once = task != nullptr && task->pending.load(std::memory_order_acquire) == 1;
  if (!at_once || message.memory != nullptr) {
    message.keep(in.next);
  } else {
    message.size = static_cast<std::size_t>(in.end - in.next);
    message.data = in.next;
  }
  if (task == nullptr) {
    if (job_.runtime.options.central) return arrivals_.keep_newest(key, std::move(message));
    return arrivals_.keep(key, std::move(message));
  }
  arrivals_.met(key);
  if (const auto next = fetches_.after(key)) fetch(*next);
  static_cast<Transfer*>(task->closure)->data = std::move(message);
  if (task->pending.fetch_sub(1, std::memory_order_acq_rel) == 1) run(task);
}

std::optional<Arrived> ObjectTransfers::take_early(ArrivalKey key) {
  job_.wire.mutex.assert_held();
  return arrivals_.take(key);
}

void ObjectTransfers::drop(Object& object) {
  const Entry& entry = entry_of(object, job_.ranks);
  for (int rank = 1; rank < job_.ranks; ++rank) {
    if (entry.seen.has(rank)) outbox_.to(rank)(Event::drop, handle_of(object));
  }
  if (range().maker(&object) != job_.rank) end_entry(object);
}

std::string ObjectTransfers::describe_waits() const {
  job_.wire.mutex.assert_held();
  std::string text;
  for (const auto& [key, task] : arrivals_.expected()) {
    text += fmt::format("  the transfer of {} waits for version {} to come\n", key.object->text(),
                        static_cast<std::uint32_t>(key.which));
  }
  return text;
}

std::uint64_t ObjectTransfers::moved() const {
  job_.wire.mutex.assert_held();
  return moved_;
}

void ObjectTransfers::count_move() {
  job_.wire.mutex.assert_held();
  ++moved_;
}

std::uint64_t ObjectTransfers::early_uses() const {
  job_.wire.mutex.assert_held();
  return landings_.early_uses();
}

void ObjectTransfers::clear() {
  job_.wire.mutex.assert_held();
  arrivals_.clear();
}

}  // namespace lapwing::tasks::ranks
