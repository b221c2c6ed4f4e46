// SPDX-License-Identifier: Apache-2.0
// The message passing machine of Jade 3.3: the home keeps all tasks of the main program in its own
// queues and sends each when it is enabled, to a rank that has fewer tasks than
// the target number; that rank asks the owners of its objects for them, and says
// when the task has ended.
#include <bit>
#include <cstdio>

#include "tasks/queue.hpp"
#include "tasks/ranks/messages.hpp"
#include "tasks/ranks/ranks.hpp"
#include "tasks/rights.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

namespace {

constexpr std::uint8_t both = detail::reads | detail::writes;

bool only_reads(const Record& record) { return record.rights == detail::reads; }

}  // namespace

bool Ranks::wants_rank(const Task& task) const {
  return central_mode_ && rank_ == 0 && !task.settled && task.fiber == nullptr && !in_loan(task);
}

void Ranks::go(Task& task) {
  task.settled = true;
  Worker::self()->schedule_one(&task);
}

// The version has been ordered from its owner, or will come to all.
bool Ranks::will_come(Object& object, const Move& move) {
  Entry& entry = *object.entry;
  if (entry.broadcast.on() && entry.sent_to_all != move.version + 1) {
    entry.sent_to_all = move.version + 1;
    entry.broadcast.sent();
    const detail::Handle what{&object, object.generation.load(std::memory_order_relaxed)};
    if (move.from == rank_) {
      for (int rank = 1; rank < ranks_; ++rank) send_object(object, {Hidden::send, what, move.version, rank});
    } else {
      batch(move.from) & Event::broadcast& what& move.version;
      flush(move.from);
    }
  }
  return entry.sent_to_all == move.version + 1;
}

std::optional<Move> Ranks::use(Entry& entry, int rank, bool reads) {
  const CopyRules rules{runtime_.options.replication, 0};
  const auto needed = reads ? entry.copies.read(rank, rules) : entry.copies.write(rank, rules);
  entry.seen.add(rank);
  if (runtime_.options.broadcast) entry.broadcast.accessed(rank, ranks_);
  if (!reads || !rules.replicate) entry.broadcast.new_version(ranks_);
  if (!reads) entry.wish = rank;
  return needed;
}

// The result of combining is a new version; the tasks before it have read theirs.
void Ranks::combined_here(Entry& entry) {
  entry.copies.replace(0);
  entry.broadcast.new_version(ranks_);
}

// Orders an object for a task here; the number of arrivals that it waits for.
int Ranks::bring(Task& task, Object& object, bool reads) {
  Entry& entry = entry_of(object, ranks_);
  const detail::Handle what{&object, object.generation.load(std::memory_order_relaxed)};
  const auto needed = use(entry, 0, reads);
  if (!needed) {
    if (entry.coming == 0) return 0;
    coming_.at({&object, version_key(what, entry.coming - 1)}).push_back(&task);
    return 1;
  }
  ++moved_;
  const bool asked = will_come(object, *needed);
  const Key key{&object, version_key(what, needed->version)};
  if (const auto found = early_.find(key); found != early_.end()) {
    Hidden hidden{Hidden::receive, what, needed->version};
    hidden.data = std::move(found->second);
    early_.erase(found);
    install(object, hidden);
    return 0;
  }
  entry.coming = needed->version + 1;
  coming_[key].push_back(&task);
  if (!asked) ask_for(needed->from, what, needed->version);
  return 1;
}

void Ranks::ask_for(int owner, const detail::Handle& what, std::uint32_t version) {
  detail::Out out;
  out& what& version& rank_;
  wire_.send(owner, Message::fetch, out.data.data(), out.data.size());
}

// Something that a task here waits for has come.
bool Ranks::came_home(Key key, detail::In in, Arrived& message) {
  const auto found = coming_.find(key);
  if (found == coming_.end()) return false;
  const std::vector<Task*> tasks = std::move(found->second);
  coming_.erase(found);
  key.object->entry->coming = 0;
  Hidden hidden{Hidden::receive, {key.object, static_cast<std::uint32_t>(key.what >> 32)}};
  message.keep(in.next);
  hidden.data = std::move(message);
  install(*key.object, hidden);
  for (Task* const task : tasks) {
    if (task->pending.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    if (task->main || task->fiber != nullptr || task->settled) {
      Worker::self()->schedule_one(task);
    } else if (task->waits_for_rank) {
      task->waits_for_rank = false;
      enabled(*task);
    } else {
      go(*task);
    }
  }
  return true;
}

void Ranks::ensure_here(Task& task, Object& object, std::uint8_t rights) {
  {
    const std::lock_guard lock(wire_.mutex);
    const int missing = bring(task, object, rights == detail::reads);
    if (missing == 0) return;
    task.pending.store(missing + 1, std::memory_order_relaxed);
  }
  Worker::suspend();
}

// An enabled task, of the main program or of a task that runs here.
void Ranks::enabled(Task& task) {
  const std::lock_guard lock(wire_.mutex);
  const bool skipped = runtime_.failure.any() && runtime_.failure.precedes(place_of(task));
  if (skipped) {
    task.placed = -1;
    return go(task);
  }
  if (task.destroys) {
    drop(*task.records()->object);
    flush();
    return go(task);
  }
  if (!task.parent->main) return settle_here(task);
  // Parts are combined here.
  int missing = 0;
  for (Record& record : task) {
    if (record.kind == Class::reducing) missing += bring(task, *record.object, true);
  }
  if (missing > 0) {
    task.waits_for_rank = true;
    task.pending.store(missing, std::memory_order_relaxed);
    return;
  }
  bool stays = task.body->pack == nullptr;
  for (const Record& record : task) stays = stays || record.deferred != 0;
  if (!stays) {
    detail::Out closure;
    closure.closure = true;
    task.body->pack(task.closure, closure);
    stays = closure.stays;
  }
  if (stays) say_body_stays(task);
  const int pin = pinned(task);
  const bool placed = task.placed >= 0;
  int wish = task.count == 0 ? -1 : entry_of(*task.records()->object, ranks_).copies.owner();
  if (placed) wish = rank_of(task.placed);
  if (pin >= 0) wish = pin;
  if (stays) wish = 0;
  // Tasks of this rank may wait inside for others of it, so no number of them keeps these back.
  int rank = wish;
  if (stays || pin >= 0 || (placed && wish == 0)) {
    central_.keep(wish);
  } else {
    rank = central_.enabled(reinterpret_cast<std::uint64_t>(&task), wish, placed);
  }
  task.target = wish;
  if (rank >= 0) assign(task, rank);
}

void Ranks::assign(Task& task, int rank) {
  if (task.target >= 0) {
    ++wished_;
    if (task.target == rank) ++on_wish_;
  }
  task.assigned = true;
  if (rank == 0) {
    task.placed = here(task.placed);
    return settle_here(task);
  }
  detail::Out closure;
  closure.closure = true;
  task.body->pack(task.closure, closure);
  for (Record& record : task) {
    Object& object = *record.object;
    Entry& entry = entry_of(object, ranks_);
    const detail::Handle what{&object, object.generation.load(std::memory_order_relaxed)};
    if (record.kind == Class::reducing) {
      combined_here(entry);
      if (entry.seen.has(rank)) continue;
      entry.seen.add(rank);
      ++moved_;
      const std::uint32_t version = entry.copies.version() | shape_only;
      batch(rank) & Event::receive& what& version & -1;
      send_object(object, {Hidden::send, what, version, rank});
      continue;
    }
    const auto needed = use(entry, rank, only_reads(record));
    if (!needed) continue;
    ++moved_;
    batch(rank) & Event::receive& what & needed->version&(will_come(object, *needed) ? -1 : needed->from);
  }
  write_task(task, rank, closure);
  flush(rank);
  task.body->drop(task.closure);
  task.elsewhere = true;
  elsewhere_.emplace(task.place, &task);
  central_elsewhere_.store(elsewhere_.size());
}

void Ranks::settle_here(Task& task) {
  int missing = 0;
  for (Record& record : task) {
    if (record.deferred == record.rights) continue;
    missing += bring(task, *record.object, only_reads(record) || record.kind == Class::reducing);
  }
  for (const Record& record : task) {
    if (record.kind == Class::reducing) combined_here(*record.object->entry);
  }
  if (missing == 0) return go(task);
  task.pending.store(missing, std::memory_order_relaxed);
}

void Ranks::next_for(int rank) {
  const std::lock_guard lock(wire_.mutex);
  const auto next = central_.ended(rank);
  if (!next) return;
  Task& task = *reinterpret_cast<Task*>(next->task);
  task.target = next->wish;
  assign(task, rank);
}

void Ranks::ended_elsewhere(int rank, std::uint64_t place) {
  const auto found = elsewhere_.find(place);
  Task* const task = found->second;
  elsewhere_.erase(found);
  central_elsewhere_.store(elsewhere_.size());
  Worker::self()->end_elsewhere(task);
  next_for(rank);
}

void Ranks::parts_from(detail::In in) {
  detail::Handle what;
  std::uint64_t place = 0;
  std::size_t count = 0;
  in& what.object& place;
  get_failure(in);
  in& count;
  if (count == 0) return;
  Task& task = *elsewhere_.at(place);
  Record& record = *find_record(task, *static_cast<Object*>(what.object));
  auto parts = std::make_unique<std::vector<void*>>();
  for (std::size_t i = 0; i < count; ++i) parts->push_back(record.object->type->unpack(nullptr, in));
  record.own = parts.release();
}

}  // namespace lapwing::tasks::ranks
