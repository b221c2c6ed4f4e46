// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/home.hpp"

#include <fmt/format.h>
#include <lapwing/tasks/errors.hpp>

#include "tasks/failure.hpp"
#include "tasks/ranks/entry.hpp"
#include "tasks/ranks/modules.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

Home::Home(const Job& job, Outbox& outbox, ObjectTransfers& transfers, Placement& placement)
    : job_(job),
      outbox_(outbox),
      transfers_(transfers),
      placement_(placement),
      ahead_(job.ranks, job.runtime.options.locality) {}

CopyRules Home::rules() const {
  return {job_.runtime.options.replication, job_.runtime.options.broadcast ? 4 : 0};
}

// A rank that never had the object gets a value to make its part like; parts are
// combined where the object is.
void Home::reduce(Object& object, Record& record, Task& task, int rank) {
  job_.wire.mutex.assert_held();
  Entry& entry = entry_of(object, job_.ranks);
  const int owner = entry.copies.owner();
  const detail::Handle what = handle_of(object);
  if (rank == owner) {
    entry.copies.replace(owner);
    return;
  }
  if (!entry.seen.has(rank)) {
    entry.seen.add(rank);
    transfers_.count_move();
    const std::uint32_t version = entry.copies.version() | shape_only;
    if (owner == job_.rank) {
      transfers_.enter(object, detail::reduces, record.reduction, {Transfer::send, what, version, rank});
    } else {
      outbox_.to(owner)(Event::send, what, version, rank, modules().encode(record.reduction));
    }
    if (rank == job_.rank) {
      transfers_.enter(object, replaces, nullptr, {Transfer::receive, what, version});
    } else {
      outbox_.to(rank)(Event::receive, what, version, -1);
    }
  }
  if (owner == job_.rank) {
    transfers_.enter(object, detail::reduces, record.reduction, {Transfer::part, what, 0, 0, task.place});
  } else {
    outbox_.to(owner)(Event::part, what, modules().encode(record.reduction), task.place);
  }
  entry.copies.replace(owner);
}

int Home::choose(Task& task, bool stays) {
  job_.wire.mutex.assert_held();
  const int pin = placement_.pinned(task);
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
  if (locality != nullptr) wish = entry_of(*locality->object, job_.ranks).wish;
  int rank = 0;
  if (pin >= 0 || stays) {
    rank = stays ? 0 : pin;
    if (rank != 0 || job_.here(task.placed) < 0) task.placed = -1;
  } else if (task.placed >= 0) {
    wish = rank = job_.rank_of(task.placed);
  } else {
    rank = ahead_.choose(wish);
  }
  placement_.count(wish, rank);
  return rank;
}

bool Home::launch(Task& task) {
  const progress::Holding lock(job_.wire.mutex);
  if (task.destroys) {
    transfers_.drop(*task.records()->object);
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
  if (stays) placement_.say_body_stays(task);
  const CopyRules how = rules();
  for (Record& record : task) {
    Object& object = *record.object;
    Entry& entry = entry_of(object, job_.ranks);
    if ((record.rights & detail::reduces) != 0) {
      reduce(object, record, task, rank);
      continue;
    }
    const bool reads_only = record.rights == detail::reads;
    const auto needed = reads_only ? entry.copies.read(rank, how) : entry.copies.write(rank, how);
    entry.seen.add(rank);
    if (needed) transfers_.move(object, *needed);
    if (!reads_only) entry.wish = rank;
    if (!how.replicate && record.kind == Class::shared) record.kind = Class::exclusive;
  }
  if (rank == 0) {
    task.placed = job_.here(task.placed);
    for (Record& record : task) {
      if (record.kind != Class::reducing) continue;
      const int owner = entry_of(*record.object, job_.ranks).copies.owner();
      if (owner == 0) continue;
      if (task.guest == nullptr) task.guest = new Guest{false, false, task.place, {}};
      task.guest->parts.push_back({record.object, record.object->type, record.reduction, owner});
    }
    return false;
  }
  outbox_.to(rank)(Event::task);
  put_task(outbox_.to(rank), task, rank, job_.ranks, closure);
  body.drop(task.closure);
  ahead_.sent(rank);
  unfinished_.store(ahead_.unfinished(), std::memory_order_release);
  outbox_.flush_if_full(rank);
  return true;
}

void Home::used_by_main(Object& object, std::uint8_t rights) {
  Entry& entry = entry_of(object, job_.ranks);
  const bool only_reads = rights == detail::reads && job_.runtime.options.replication;
  if (entry.copies.has(0) && (only_reads || entry.copies.holders().size() == 1)) return;
  const progress::Holding lock(job_.wire.mutex);
  const auto needed = only_reads ? entry.copies.read(0, rules()) : entry.copies.write(0, rules());
  entry.seen.add(0);
  if (needed) transfers_.move(object, *needed);
}

void Home::ask() {
  const progress::Holding lock(job_.wire.mutex);
  for (int rank = 1; rank < job_.ranks; ++rank) {
    if (ahead_.load(rank) > 0) outbox_.to(rank)(Event::ask, ahead_.sent_to(rank));
  }
}

void Home::ended(int rank, std::uint64_t tasks) {
  job_.wire.mutex.assert_held();
  ahead_.ended(rank, tasks);
  unfinished_.store(ahead_.unfinished(), std::memory_order_release);
}

std::uint64_t Home::unfinished_on(int rank) const {
  job_.wire.mutex.assert_held();
  return ahead_.load(rank);
}

std::uint64_t Home::ended_on(int rank) const {
  job_.wire.mutex.assert_held();
  return ahead_.sent_to(rank) - ahead_.load(rank);
}

}  // namespace lapwing::tasks::ranks
