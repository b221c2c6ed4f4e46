// SPDX-License-Identifier: Apache-2.0
// Large objects whose bytes are one run travel from where they are to where they
// shall be. Their description goes ahead; if no task uses the older version at
// the receiver any more, the bytes land in the object itself.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "tasks/queue.hpp"
#include "tasks/ranks/messages.hpp"
#include "tasks/ranks/ranks.hpp"
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

// The hidden task keeps its place among the readers until all has left.
bool Ranks::send_as_bulk(Task* task) {
  const auto& hidden = *static_cast<Hidden*>(task->closure);
  const Object& object = *task->records()->object;
  if (object.value == nullptr || object.type->run == nullptr || (hidden.version & shape_only) != 0 ||
      object.generation.load(std::memory_order_relaxed) != hidden.what.generation) {
    return false;
  }
  const detail::Run run = object.type->run(object.value);
  const Options& options = runtime_.options;
  if (run.size < options.large || run.size == 0) return false;
  Size size{run.size, without_strips};
  if (options.strips) {
    size.strip =
        options.strip > 0 ? options.strip : std::clamp(run.size / usual_strips, least_strip, most_strip);
  }
  detail::Out out;
  put_object(out, object, hidden, Form::bulk);
  const std::lock_guard lock(wire_.mutex);
  size.number = wire_.next_bulk(hidden.to);
  out& size;
  if (moving_ahead_) {
    batch(hidden.to) & Event::object& out.data;
    flush(hidden.to);
  } else {
    wire_.send(hidden.to, Message::object, out.data.data(), out.data.size());
  }
  wire_.send_bulk(hidden.to, run.bytes, size.bytes, size.strip, [this, task] { end_hidden(task); });
  return true;
}

// True if the message says that bytes will come.
bool Ranks::bulk_comes(int source, Key key, detail::In in, Arrived& message) {
  const char* const begin = in.next;
  Form form{};
  in& form;
  if (form != Form::bulk) return false;
  in.next = begin;
  const auto found = awaited_.find(key);
  // All that it waits for is this: it has the object for itself.
  if (found != awaited_.end() && found->second->pending.load(std::memory_order_acquire) == 1) {
    Task* const task = found->second;
    awaited_.erase(found);
    land(source, task, in);
    return true;
  }
  auto kept = std::make_shared<Arrived>(std::move(message));
  kept->keep(begin);
  Size size;
  std::memcpy(&size, kept->data + kept->size - sizeof size, sizeof size);
  kept->bulk.reset(new (std::nothrow) char[size.bytes]);
  if (kept->bulk == nullptr) {
    fail(fmt::format("{} cannot be received on rank {}: {} bytes cannot be had", key.object->text(), rank_,
                     size.bytes));
  }
  wire_.receive_bulk(source, size.number, kept->bulk.get(), size.bytes, size.strip,
                     [this, key, kept, all = size.bytes](std::size_t landed) {
                       if (landed < all) return;
                       const detail::In from{kept->data, kept->data + kept->size};
                       arrived(key, from, std::move(*kept));
                     });
  return true;
}

// Into the object.
void Ranks::land(int source, Task* task, detail::In in) {
  auto& hidden = *static_cast<Hidden*>(task->closure);
  Object& object = *task->records()->object;
  meet_version(object, hidden, in);
  Size size;
  in& size;
  try {
    object.value = object.type->room(object.value, size.bytes);
  } catch (const std::exception& error) {
    fail(fmt::format("{} cannot be received on rank {}: {} ({} bytes)", object.text(), rank_, error.what(),
                     size.bytes));
  }
  hidden.landed = true;
  if (size.strip < size.bytes) {
    landings_.emplace(&object, Landing{size.bytes});
    object.landing.store(true, std::memory_order_release);
  }
  wire_.receive_bulk(source, size.number, object.type->run(object.value).bytes, size.bytes, size.strip,
                     [this, task](std::size_t bytes) { landed(task, bytes); });
  if (size.strip >= size.bytes) return;
  // Readers may begin, and wait for what they touch.
  ReadyList ready;
  weaken(*task->records(), detail::writes, ready);
  if (!ready.empty()) Worker::self()->schedule(ready, nullptr);
}

void Ranks::landed(Task* task, std::size_t bytes) {
  Object& object = *task->records()->object;
  const auto found = landings_.find(&object);
  const bool whole = bytes == object.type->run(object.value).size;
  std::vector<Task*> sendings;
  if (found != landings_.end()) {
    Landing& landing = found->second;
    landing.landed = bytes;
    std::vector<Landing::Waiting> later;
    for (const auto& each : std::exchange(landing.waiting, {})) {
      if (each.size > bytes && !whole) {
        later.push_back(each);
      } else if (each.task->pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        Worker::self()->schedule_one(each.task);
      }
    }
    landing.waiting = std::move(later);
    if (whole) {
      sendings = std::move(landing.sendings);
      object.landing.store(false, std::memory_order_release);
      landings_.erase(found);
    }
  }
  if (!whole) return;
  for (Task* const sending : sendings) run_hidden(sending);
  if (task->pending.fetch_sub(1, std::memory_order_acq_rel) == 1) run_hidden(task);
}

void Ranks::wait_until_landed(Task& task, Object& object, std::size_t size) {
  {
    const std::lock_guard lock(wire_.mutex);
    const auto found = landings_.find(&object);
    if (found == landings_.end()) return;
    Landing& landing = found->second;
    if (size < landing.size) early_uses_.fetch_add(1);
    if (size <= landing.landed) return;
    task.pending.store(2, std::memory_order_relaxed);
    landing.waiting.push_back({&task, size});
  }
  Worker::suspend();
}

void Ranks::wait_until_all_landed(Task& task) {
  for (const Record& record : task) {
    if (record.rights != detail::reads || record.deferred != 0) continue;
    if (record.object->landing.load(std::memory_order_acquire)) {
      wait_until_landed(task, *record.object, static_cast<std::size_t>(-1));
    }
  }
}

// An object that is still coming goes on from here when it is there.
bool Ranks::waits_for_landing(Task* sending) {
  Object& object = *sending->records()->object;
  if (!object.landing.load(std::memory_order_acquire)) return false;
  const std::lock_guard lock(wire_.mutex);
  const auto found = landings_.find(&object);
  if (found == landings_.end()) return false;
  found->second.sendings.push_back(sending);
  return true;
}

// Takes bytes that have come while the older version was in use.
void Ranks::take_bulk(Object& object, const Hidden& hidden, detail::In& in) {
  Size size;
  in& size;
  object.value = object.type->room(object.value, size.bytes);
  std::memcpy(object.type->run(object.value).bytes, hidden.data.bulk.get(), size.bytes);
}

}  // namespace lapwing::tasks::ranks
