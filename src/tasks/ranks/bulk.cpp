// SPDX-License-Identifier: Apache-2.0
// Large objects whose bytes are one run travel from where they are to where they
// shall be. Their description goes ahead; if no task uses the older version at
// the receiver any more, the bytes land in the object itself.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "tasks/queue.hpp"
#include "tasks/ranks/object_transfers.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

namespace {

constexpr std::size_t least_strip = 256 << 10;
constexpr std::size_t most_strip = 4 << 20;
constexpr std::size_t without_strips = 1 << 30;
constexpr std::size_t usual_strips = 8;

struct Size {
  std::size_t bytes = 0, strip = 0;
  int number = 0;
};

}  // namespace

// The transfer task keeps its place among the readers until all has left.
bool ObjectTransfers::send_as_bulk(Task* task) {
  const auto& transfer = *static_cast<Transfer*>(task->closure);
  const Object& object = *task->records()->object;
  if (object.value == nullptr || object.type->run == nullptr || (transfer.version & shape_only) != 0 ||
      object.generation.load(std::memory_order_relaxed) != transfer.what.generation) {
    return false;
  }
  const detail::Run run = object.type->run(object.value);
  const Options& options = job_.runtime.options;
  if (run.size < options.large || run.size == 0) return false;
  Size size{run.size, without_strips};
  if (options.strips) {
    size.strip =
        options.strip > 0 ? options.strip : std::clamp(run.size / usual_strips, least_strip, most_strip);
  }
  detail::Out out;
  put_object(out, object, transfer, Form::bulk);
  const progress::Holding lock(job_.wire.mutex);
  size.number = job_.wire.next_bulk(transfer.to);
  out(size);
  if (with_batch_) {
    outbox_.to(transfer.to)(Event::object, out.data);
    outbox_.flush(transfer.to);
  } else {
    job_.wire.send(transfer.to, Message::object, out.data.data(), out.data.size());
  }
  job_.wire.send_bulk(transfer.to, run.bytes, size.bytes, size.strip, [this, task] { end(task); });
  return true;
}

// True if the message says that bytes will come.
bool ObjectTransfers::bulk_comes(int source, ArrivalKey key, detail::In in, Arrived& message) {
  const char* const begin = in.next;
  Form form{};
  in(form);
  if (form != Form::bulk) return false;
  in.next = begin;
  job_.wire.mutex.assert_held();
  // All that it waits for is this: it has the object for itself.
  Task* const task = arrivals_.task_for(key);
  if (task != nullptr && task->pending.load(std::memory_order_acquire) == 1) {
    arrivals_.met(key);
    land(source, task, in);
    return true;
  }
  auto kept = std::make_shared<Arrived>(std::move(message));
  kept->keep(begin);
  Size size;
  std::memcpy(&size, kept->data + kept->size - sizeof size, sizeof size);
  kept->bulk.reset(new (std::nothrow) char[size.bytes]);
  if (kept->bulk == nullptr) {
    job_.fail(fmt::format("{} cannot be received on rank {}: {} bytes cannot be had", key.object->text(),
                          job_.rank, size.bytes));
  }
  job_.wire.receive_bulk(source, size.number, kept->bulk.get(), size.bytes, size.strip,
                         [this, key, kept, all = size.bytes](std::size_t landed) {
                           if (landed < all) return;
                           arrived(key, kept->all(), std::move(*kept));
                         });
  return true;
}

// Into the object.
void ObjectTransfers::land(int source, Task* task, detail::In in) {
  auto& transfer = *static_cast<Transfer*>(task->closure);
  Object& object = *task->records()->object;
  meet_version(object, transfer, in);
  Size size;
  in(size);
  try {
    object.value = object.type->room(object.value, size.bytes);
  } catch (const std::exception& error) {
    job_.fail(fmt::format("{} cannot be received on rank {}: {} ({} bytes)", object.text(), job_.rank,
                          error.what(), size.bytes));
  }
  transfer.landed = true;
  if (size.strip < size.bytes) {
    job_.wire.mutex.assert_held();
    landings_.begin(object, size.bytes);
  }
  job_.wire.receive_bulk(source, size.number, object.type->run(object.value).bytes, size.bytes, size.strip,
                         [this, task](std::size_t bytes) { landed(task, bytes); });
  if (size.strip >= size.bytes) return;
  // Readers may begin, and wait for what they touch.
  ReadyList ready;
  weaken(*task->records(), detail::writes, ready);
  if (!ready.empty()) Worker::self()->schedule(ready, nullptr);
}

void ObjectTransfers::landed(Task* task, std::size_t bytes) {
  job_.wire.mutex.assert_held();
  Object& object = *task->records()->object;
  const bool whole = bytes == object.type->run(object.value).size;
  const Landings::Come come = landings_.come(object, bytes, whole);
  for (Task* const each : come.tasks) {
    if (each->pending.fetch_sub(1, std::memory_order_acq_rel) == 1) Worker::self()->schedule_one(each);
  }
  if (!whole) return;
  for (Task* const sending : come.sendings) run(sending);
  if (task->pending.fetch_sub(1, std::memory_order_acq_rel) == 1) run(task);
}

void ObjectTransfers::wait_until_landed(Task& task, Object& object, std::size_t size) {
  {
    const progress::Holding lock(job_.wire.mutex);
    if (!landings_.waits(object, task, size)) return;
  }
  Worker::suspend();
}

void ObjectTransfers::wait_until_all_landed(Task& task) {
  for (const Record& record : task) {
    if (record.rights != detail::reads || record.deferred != 0) continue;
    if (record.object->landing.load(std::memory_order_acquire)) {
      wait_until_landed(task, *record.object, static_cast<std::size_t>(-1));
    }
  }
}

// An object that is still coming goes on from here when it is there.
bool ObjectTransfers::waits_for_landing(Task* sending) {
  Object& object = *sending->records()->object;
  if (!object.landing.load(std::memory_order_acquire)) return false;
  const progress::Holding lock(job_.wire.mutex);
  return landings_.sends_later(object, sending);
}

// Takes bytes that have come while the older version was in use.
void ObjectTransfers::take_bulk(Object& object, const Transfer& transfer, detail::In& in) {
  Size size;
  in(size);
  object.value = object.type->room(object.value, size.bytes);
  std::memcpy(object.type->run(object.value).bytes, transfer.data.bulk.get(), size.bytes);
}

}  // namespace lapwing::tasks::ranks
