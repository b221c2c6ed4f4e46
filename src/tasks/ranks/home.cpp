// SPDX-License-Identifier: Apache-2.0
// The rank of the main program: where each task goes, and what is moved for it.
#include <fmt/format.h>
#include <lapwing/tasks/errors.hpp>

#include <bit>

#include "progress/clock.hpp"
#include "tasks/failure.hpp"
#include "tasks/ranks/messages.hpp"
#include "tasks/ranks/range.hpp"
#include "tasks/ranks/ranks.hpp"
#include "tasks/rights.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

namespace {

constexpr std::size_t full_batch = 8192;  // bytes that leave at once

bool may_leave(const Object& object) {
  return object.type->unpack != nullptr && modules().encode(object.type) != 0;
}

}  // namespace

CopyRules Ranks::rules() const { return {runtime_.options.replication, runtime_.options.broadcast ? 4 : 0}; }

detail::Out& Ranks::batch(int rank) {
  Batch& batch = batches_[static_cast<std::size_t>(rank)];
  if (batch.out.data.empty()) batch.since = progress::now_ns();
  return batch.out;
}

void Ranks::flush(int rank) {
  auto& data = batches_[static_cast<std::size_t>(rank)].out.data;
  if (data.empty()) return;
  wire_.send(rank, Message::batch, data.data(), data.size());
  data.clear();
}

void Ranks::flush() {
  if (!home()) return;
  const std::lock_guard lock(wire_.mutex);
  for (int rank = 1; rank < ranks_; ++rank) flush(rank);
}

void Ranks::move(Object& object, const Move& move) {
  ++moved_;
  const detail::Handle what{&object, object.generation.load(std::memory_order_relaxed)};
  // The receiver is told first: bytes that come then find their place.
  if (move.to == rank_) {
    enter_hidden(object, detail::reads | detail::writes, nullptr, {Hidden::receive, what, move.version});
  } else {
    batch(move.to) & Event::receive& what& move.version & -1;
  }
  if (move.from == rank_) {
    moving_ahead_ = true;  // a small object goes along
    enter_hidden(object, detail::reads, nullptr, {Hidden::send, what, move.version, move.to});
    moving_ahead_ = false;
  } else {
    batch(move.from) & Event::send& what& move.version& move.to& std::uint64_t{0};
  }
}

// A rank that never had the object gets a value to make its part like; parts are
// combined where the object is.
void Ranks::reduce(Object& object, Record& record, Task& task, int rank) {
  Entry& entry = entry_of(object, ranks_);
  const int owner = entry.copies.owner();
  const detail::Handle what{&object, object.generation.load(std::memory_order_relaxed)};
  if (rank == owner) {
    entry.copies.replace(owner);
    return;
  }
  if (!entry.seen.has(rank)) {
    entry.seen.add(rank);
    ++moved_;
    const std::uint32_t version = entry.copies.version() | shape_only;
    if (owner == rank_) {
      enter_hidden(object, detail::reduces, record.reduction, {Hidden::send, what, version, rank});
    } else {
      batch(owner) & Event::send& what& version& rank& modules().encode(record.reduction);
    }
    if (rank == rank_) {
      enter_hidden(object, detail::reads | detail::writes, nullptr, {Hidden::receive, what, version});
    } else {
      batch(rank) & Event::receive& what& version & -1;
    }
  }
  if (owner == rank_) {
    enter_hidden(object, detail::reduces, record.reduction, {Hidden::part, what, 0, 0, task.place});
  } else {
    batch(owner) & Event::part& what& modules().encode(record.reduction) & task.place;
  }
  entry.copies.replace(owner);
}

int Ranks::pinned(Task& task) {
  int rank = -1;
  const Object* by = nullptr;
  for (const Record& record : task) {
    Object& object = *record.object;
    if (may_leave(object)) continue;
    const int owner = entry_of(object, ranks_).copies.owner();
    if (rank >= 0 && rank != owner) {
      throw Error(fmt::format(
          "{} uses {} of rank {} and {} of rank {}, neither of which can be sent: give their types "
          "a serialize()",
          text_of(task), by->text(), rank, object.text(), owner));
    }
    rank = owner;
    by = &object;
  }
  if (by != nullptr) say_object_stays(task, *by, rank);
  return rank;
}

int Ranks::choose(Task& task, bool stays) {
  const int pin = pinned(task);
  if (stays && pin > 0) {
    throw Error(fmt::format("{} uses an object that cannot leave rank {}, but its body cannot leave rank 0",
                            text_of(task), pin));
  }
  int wish = -1;
  // The object that it writes decides, for that stays where it was; else the first that it declares.
  const Record* locality = nullptr;
  for (const Record& record : task) {
    if ((record.rights & ~(detail::reads | detail::reduces)) == 0) continue;
    locality = &record;
    break;
  }
  if (locality == nullptr && task.count > 0) locality = task.begin();
  if (locality != nullptr) wish = entry_of(*locality->object, ranks_).wish;
  int rank = 0;
  if (pin >= 0 || stays) {
    rank = stays ? 0 : pin;
    if (rank != 0 || here(task.placed) < 0) task.placed = -1;
  } else if (task.placed >= 0) {
    wish = rank = rank_of(task.placed);
  } else {
    rank = ahead_.choose(wish);
  }
  if (wish >= 0) {
    ++wished_;
    if (rank == wish) ++on_wish_;
  }
  return rank;
}

Guest& Ranks::guest_of(Task& task) {
  if (task.guest == nullptr) task.guest = new Guest{false, false, task.place, {}};
  return *task.guest;
}

// A rank that runs a task must have its function. All ranks say so: on which of them
// something was not loaded, or is of another build, only their users know.
void Ranks::require_known(const Task& task) {
  const detail::Body& body = *task.body;
  if (body.pack == nullptr || modules().encode(&body) != 0) return;
  const std::string sentence = fmt::format(
      "the function of {} is not known to all ranks: it is in {}, which some have not loaded, or "
      "in another build; load it on all ranks before run()",
      text_of(task), modules().file_of(reinterpret_cast<std::uint64_t>(&body)));
  {
    const std::lock_guard lock(wire_.mutex);
    for (int rank = 1; rank < ranks_; ++rank) batch(rank) & Event::complaint& sentence;
  }
  throw Error(sentence);
}

bool Ranks::launch(Task& task) {
  require_known(task);
  if (central_mode_) {
    for (Record& record : task) {
      if (!runtime_.options.replication && record.kind == Class::shared) record.kind = Class::exclusive;
    }
    return false;
  }
  const std::lock_guard lock(wire_.mutex);
  if (task.destroys) {
    drop(*task.records()->object);
    return false;
  }
  const detail::Body& body = *task.body;
  detail::Out& closure = closure_;
  closure.data.clear();
  closure.addresses.clear();
  closure.stays = false;
  closure.closure = true;
  bool stays = body.pack == nullptr;
  if (!stays) {
    body.pack(task.closure, closure);
    stays = closure.stays;
  }
  const int rank = choose(task, stays);
  if (stays) say_body_stays(task);
  const CopyRules how = rules();
  for (Record& record : task) {
    Object& object = *record.object;
    Entry& entry = entry_of(object, ranks_);
    if ((record.rights & detail::reduces) != 0) {
      reduce(object, record, task, rank);
      continue;
    }
    const bool reads_only = record.rights == detail::reads;
    const auto needed = reads_only ? entry.copies.read(rank, how) : entry.copies.write(rank, how);
    entry.seen.add(rank);
    if (needed) move(object, *needed);
    if (!reads_only) entry.wish = rank;
    if (!how.replicate && record.kind == Class::shared) record.kind = Class::exclusive;
  }
  if (rank == 0) {
    task.placed = here(task.placed);
    for (Record& record : task) {
      if (record.kind != Class::reducing) continue;
      const int owner = entry_of(*record.object, ranks_).copies.owner();
      if (owner == 0) continue;
      guest_of(task).parts.push_back({record.object, record.object->type, record.reduction, owner});
    }
    return false;
  }
  write_task(task, rank, closure);
  body.drop(task.closure);
  ahead_.sent(rank);
  unfinished_.store(ahead_.unfinished(), std::memory_order_release);
  if (batches_[static_cast<std::size_t>(rank)].out.data.size() > full_batch) flush(rank);
  return true;
}

void Ranks::put_head(detail::Out& out, const Task& task, int placed) {
  out& task.place& modules().encode(task.body);
  out& modules().encode(task.label.text) & task.label.first& task.label.second;
  const bool spelled = task.label.text != nullptr && modules().encode(task.label.text) == 0;
  out& spelled;
  if (spelled) out& std::string(task.label.text);
  out& modules().encode(std::bit_cast<std::uint64_t>(task.where));
  out& placed& task.count;
}

void Ranks::write_task(Task& task, int rank, const detail::Out& closure) {
  detail::Out& out = batch(rank);
  out& Event::task;
  put_head(out, task, task.placed);
  for (const Record& record : task) {
    Object& object = *record.object;
    const int owner = entry_of(object, ranks_).copies.owner();
    out& detail::Handle{&object, object.generation.load(std::memory_order_relaxed)} &
        record.rights& record.deferred& record.kind;
    if (record.kind != Class::reducing) continue;
    out& modules().encode(record.reduction) & modules().encode(object.type) & (owner == rank ? -1 : owner);
  }
  out& closure.addresses& closure.data;
}

void Ranks::used_by_main(Object& object, std::uint8_t rights) {
  Entry& entry = entry_of(object, ranks_);
  const bool only_reads = rights == detail::reads && runtime_.options.replication;
  if (entry.copies.has(0) && (only_reads || entry.copies.holders().size() == 1)) return;
  const std::lock_guard lock(wire_.mutex);
  const auto needed = only_reads ? entry.copies.read(0, rules()) : entry.copies.write(0, rules());
  entry.seen.add(0);
  if (needed) move(object, *needed);
}

// Only its maker knows its name and number.
void Ranks::adopt(const detail::Handle& handle, const detail::Type* type) {
  Object& object = object_at(handle);
  if (object.generation.load() != 0) return;
  object.describe(type, 0, fmt::format("made on rank {}", range().maker(&object)));
  object.generation.store(handle.generation, std::memory_order_release);
}

bool meet(const detail::Handle& handle, const detail::Type* type, const Task& task) {
  const Range& all = range();
  if (!all.has(handle.object) || all.maker(handle.object) == all.rank()) return true;
  Ranks& ranks = *Worker::self()->runtime.ranks;
  Object& object = ranks.object_at(handle);
  const bool by_main = task.main || (task.parent->main && task.fresh);
  if (by_main && type != nullptr && object.generation.load() == 0) ranks.adopt(handle, type);
  return by_main;
}

void Ranks::drop(Object& object) {
  const Entry& entry = entry_of(object, ranks_);
  const detail::Handle what{&object, object.generation.load(std::memory_order_relaxed)};
  for (int rank = 1; rank < ranks_; ++rank) {
    if (entry.seen.has(rank)) batch(rank) & Event::drop& what;
  }
  if (range().maker(&object) != rank_) end_entry(object);
}

void Ranks::ask() {
  const std::lock_guard lock(wire_.mutex);
  for (int rank = 1; rank < ranks_; ++rank) {
    if (ahead_.load(rank) > 0) batch(rank) & Event::ask& ahead_.sent_to(rank);
  }
}

void Ranks::forget_failure() {
  const std::lock_guard lock(wire_.mutex);
  ++forgotten_;
  for (int rank = 1; rank < ranks_; ++rank) batch(rank) & Event::forget;
}

}  // namespace lapwing::tasks::ranks
