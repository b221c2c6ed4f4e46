// SPDX-License-Identifier: Apache-2.0
// Large objects whose bytes are one run travel from where they are to where they
// shall be. What is said of them goes ahead; if nobody uses the older version at
// the receiver any more, the bytes land in the object itself.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

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
  wire_.receive_bulk(source, size.number, object.type->run(object.value).bytes, size.bytes, size.strip,
                     [this, task, all = size.bytes](std::size_t landed) {
                       if (landed == all && task->pending.fetch_sub(1, std::memory_order_acq_rel) == 1) {
                         run_hidden(task);
                       }
                     });
}

// What has come while the older version was in use.
void Ranks::take_bulk(Object& object, const Hidden& hidden, detail::In& in) {
  Size size;
  in& size;
  object.value = object.type->room(object.value, size.bytes);
  std::memcpy(object.type->run(object.value).bytes, hidden.data.bulk.get(), size.bytes);
}

}  // namespace lapwing::tasks::ranks
