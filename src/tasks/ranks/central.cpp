// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/central.hpp"

#include <cassert>

#include "tasks/failure.hpp"
#include "tasks/rights.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

namespace {

bool only_reads(const Record& record) { return record.rights == detail::reads; }

}  // namespace

CentralScheduler::CentralScheduler(const Job& job, Outbox& outbox, FailureMessages& failures,
                                   ObjectTransfers& transfers, Placement& placement)
    : job_(job),
      outbox_(outbox),
      failures_(failures),
      transfers_(transfers),
      placement_(placement),
      on_(job.runtime.options.central),
      central_(job.ranks, job.runtime.options.target * job.runtime.options.workers,
               job.runtime.options.locality) {
  if (!on_ || !job.home()) return;
  transfers.taken_first = [this](ArrivalKey key, detail::In in, Arrived& message) {
    return came_home(key, in, message);
  };
}

bool CentralScheduler::wants_rank(const Task& task) const {
  return on_ && job_.home() && task.stage == Stage::undecided && task.fiber == nullptr && !in_loan(task);
}

void CentralScheduler::go(Task& task) {
  assert(task.stage == Stage::undecided);
  task.stage = Stage::settled;
  Worker::self()->schedule_one(&task);
}

// The version has been ordered from its owner, or will come to all.
bool CentralScheduler::will_come(Object& object, const Move& move) {
  Entry& entry = *object.entry;
  if (entry.broadcast.on() && entry.sent_to_all != move.version + 1) {
    entry.sent_to_all = move.version + 1;
    entry.broadcast.sent();
    const detail::Handle what = handle_of(object);
    if (move.from == job_.rank) {
      for (int rank = 1; rank < job_.ranks; ++rank)
        transfers_.send(object, {Transfer::send, what, move.version, rank});
    } else {
      outbox_.to(move.from)(Event::broadcast, what, move.version);
      outbox_.flush(move.from);
    }
  }
  return entry.sent_to_all == move.version + 1;
}

std::optional<Move> CentralScheduler::use(Entry& entry, int rank, bool reads) {
  const CopyRules rules{job_.runtime.options.replication, 0};
  const auto needed = reads ? entry.copies.read(rank, rules) : entry.copies.write(rank, rules);
  entry.seen.add(rank);
  if (job_.runtime.options.broadcast) entry.broadcast.accessed(rank, job_.ranks);
  if (!reads || !rules.replicate) entry.broadcast.new_version(job_.ranks);
  if (!reads) entry.wish = rank;
  return needed;
}

// The result of combining is a new version; the tasks before it have read theirs.
void CentralScheduler::combined_here(Entry& entry) {
  entry.copies.replace(0);
  entry.broadcast.new_version(job_.ranks);
}

// Orders an object for a task here; the number of arrivals that it waits for.
int CentralScheduler::bring(Task& task, Object& object, bool reads) {
  job_.wire.mutex.assert_held();
  Entry& entry = entry_of(object, job_.ranks);
  const detail::Handle what = handle_of(object);
  const auto needed = use(entry, 0, reads);
  if (!needed) {
    if (entry.coming == 0) return 0;
    coming_.at({&object, version_key(what, entry.coming - 1)}).push_back(&task);
    return 1;
  }
  transfers_.count_move();
  const bool asked = will_come(object, *needed);
  const ArrivalKey key{&object, version_key(what, needed->version)};
  if (auto early = transfers_.take_early(key)) {
    Transfer transfer{Transfer::receive, what, needed->version};
    transfer.data = std::move(*early);
    transfers_.install(object, transfer);
    return 0;
  }
  entry.coming = needed->version + 1;
  coming_[key].push_back(&task);
  if (!asked) transfers_.fetch({needed->from, what, needed->version});
  return 1;
}

// Something that a task here waits for has come.
bool CentralScheduler::came_home(ArrivalKey key, detail::In in, Arrived& message) {
  job_.wire.mutex.assert_held();
  const auto tasks = taken(coming_, key);
  if (!tasks) return false;
  key.object->entry->coming = 0;
  Transfer transfer{Transfer::receive, {key.object, static_cast<std::uint32_t>(key.which >> 32)}};
  message.keep(in.next);
  transfer.data = std::move(message);
  transfers_.install(*key.object, transfer);
  for (Task* const task : *tasks) {
    if (task->pending.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    if (task->main || task->fiber != nullptr || task->stage == Stage::settled) {
      Worker::self()->schedule_one(task);
    } else if (task->stage == Stage::gathers) {
      task->stage = Stage::undecided;
      enabled(*task);
    } else {
      go(*task);
    }
  }
  return true;
}

void CentralScheduler::ensure_here(Task& task, Object& object, std::uint8_t rights) {
  {
    const progress::Holding lock(job_.wire.mutex);
    const int missing = bring(task, object, rights == detail::reads);
    if (missing == 0) return;
    task.pending.store(missing + 1, std::memory_order_relaxed);
  }
  Worker::suspend();
}

// An enabled task, of the main program or of a task that runs here.
void CentralScheduler::enabled(Task& task) {
  const progress::Holding lock(job_.wire.mutex);
  const bool skipped = job_.runtime.failure.any() && job_.runtime.failure.precedes(place_of(task));
  if (skipped) {
    task.placed = -1;
    return go(task);
  }
  if (task.destroys) {
    transfers_.drop(*task.records()->object);
    outbox_.flush();
    return go(task);
  }
  if (!task.parent->main) return settle_here(task);
  // Parts are combined here.
  int missing = 0;
  for (Record& record : task) {
    if (record.kind == Class::reducing) missing += bring(task, *record.object, true);
  }
  if (missing > 0) {
    task.stage = Stage::gathers;
    task.pending.store(missing, std::memory_order_relaxed);
    return;
  }
  bool stays = task.body->pack == nullptr;
  for (const Record& record : task) stays = stays || record.deferred != 0;
  stays = stays || packed_closure(task).stays;
  if (stays) placement_.say_body_stays(task);
  const int pin = placement_.pinned(task);
  const bool placed = task.placed >= 0;
  int wish = task.count == 0 ? -1 : entry_of(*task.records()->object, job_.ranks).copies.owner();
  if (placed) wish = job_.rank_of(task.placed);
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

void CentralScheduler::assign(Task& task, int rank) {
  job_.wire.mutex.assert_held();
  placement_.count(task.target, rank);
  task.assigned = true;
  if (rank == 0) {
    task.placed = job_.here(task.placed);
    return settle_here(task);
  }
  const detail::Out closure = packed_closure(task);
  for (Record& record : task) {
    Object& object = *record.object;
    Entry& entry = entry_of(object, job_.ranks);
    const detail::Handle what = handle_of(object);
    if (record.kind == Class::reducing) {
      combined_here(entry);
      if (entry.seen.has(rank)) continue;
      entry.seen.add(rank);
      transfers_.count_move();
      const std::uint32_t version = entry.copies.version() | shape_only;
      outbox_.to(rank)(Event::receive, what, version, -1);
      transfers_.send(object, {Transfer::send, what, version, rank});
      continue;
    }
    const auto needed = use(entry, rank, only_reads(record));
    if (!needed) continue;
    transfers_.count_move();
    const int from = will_come(object, *needed) ? -1 : needed->from;
    outbox_.to(rank)(Event::receive, what, needed->version, from);
  }
  outbox_.to(rank)(Event::task);
  put_task(outbox_.to(rank), task, rank, job_.ranks, closure);
  outbox_.flush(rank);
  task.body->drop(task.closure);
  assert(task.stage == Stage::undecided);
  task.stage = Stage::elsewhere;
  elsewhere_.emplace(task.place, &task);
  elsewhere_count_.store(elsewhere_.size());
}

void CentralScheduler::settle_here(Task& task) {
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

void CentralScheduler::next_for(int rank) {
  const progress::Holding lock(job_.wire.mutex);
  const auto next = central_.ended(rank);
  if (!next) return;
  Task& task = *reinterpret_cast<Task*>(next->task);
  task.target = next->wish;
  assign(task, rank);
}

void CentralScheduler::ended_elsewhere(int rank, std::uint64_t place) {
  job_.wire.mutex.assert_held();
  Task* const task = taken(elsewhere_, place).value();
  elsewhere_count_.store(elsewhere_.size());
  Worker::self()->end_elsewhere(task);
  next_for(rank);
}

void CentralScheduler::parts_from(detail::In in) {
  job_.wire.mutex.assert_held();
  void* object = nullptr;
  std::uint64_t place = 0;
  in(object, place);
  failures_.take_place(in);
  read_parts(in, *find_record(*elsewhere_.at(place), *static_cast<Object*>(object)));
}

}  // namespace lapwing::tasks::ranks
