// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/loans.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "progress/clock.hpp"
#include "tasks/planted.hpp"
#include "tasks/ranks/arrivals.hpp"
#include "tasks/ranks/messages.hpp"
#include "tasks/ranks/modules.hpp"
#include "tasks/ranks/task_messages.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

namespace {

constexpr std::size_t most_lent = std::size_t{1} << 30;  // bytes that one task takes along

using progress::seconds_since;

bool travels(Task& task) {
  if (task.body->pack == nullptr || modules().encode(task.body) == 0) return false;
  for (const Record& record : task) {
    const Object& object = *record.object;
    // Accesses that are acquired later wait here, and parts of reductions are combined here. A part
    // of an object does not travel alone, and others use the rest of it here.
    if (record.deferred != 0 || record.kind == Class::reducing || record.partial) return false;
    if (object.value == nullptr || object.landing.load(std::memory_order_acquire)) return false;
    if (object.type->unpack == nullptr || modules().encode(object.type) == 0) return false;
  }
  return true;
}

bool keep_here(Task& task) {
  task.stays = true;
  return false;
}

}  // namespace

Loans::Loans(const Job& job, FailureMessages& failures)
    : job_(job), failures_(failures), on_(job.runtime.options.lend), lending_(job.ranks) {}

bool Loans::may_lend(const Task& task) const {
  return on_ && task.fiber == nullptr && task.parent != nullptr && !task.parent->main && !task.stays &&
         !task.destroys;
}

void Loans::look_for_takers() {
  job_.wire.mutex.assert_held();
  takers_.store(!lending_.none(), std::memory_order_relaxed);
}

std::uint64_t Loans::back() const {
  job_.wire.mutex.assert_held();
  return back_;
}

int Loans::place_of_child(int worker) const {
  const int local = job_.here(worker);
  return worker < 0 || local >= 0 || !on_ ? local : -2 - worker;
}

// Every worker here has a task waiting that it can run next.
bool Loans::enough_here() const {
  int waiting = 0;
  for (const auto& worker : job_.runtime.workers) waiting += worker->processor.stealable();
  return waiting >= static_cast<int>(job_.runtime.workers.size());
}

void Loans::tell_of_spare() {
  if (all_told_.load(std::memory_order_relaxed)) return;
  const std::unique_lock lock(job_.wire.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  job_.wire.mutex.assert_held();
  const int rank = lending_.listener(job_.rank);
  if (rank < 0) {
    all_told_.store(true);
    return;
  }
  job_.wire.send(rank, Message::spare, nullptr, 0);
}

bool Loans::lend(Task& task) {
  if (!may_lend(task)) return false;
  const bool fixed = task.placed < -1;
  if (!fixed) {
    if (!enough_here()) return false;
    if (!takers_.load(std::memory_order_relaxed)) {
      tell_of_spare();
      return false;
    }
  }
  const progress::Holding lock(job_.wire.mutex);
  const bool skipped = job_.runtime.failure.any() && job_.runtime.failure.precedes(place_of(task));
  if (skipped || !travels(task)) return keep_here(task);
  const auto begin = progress::now_ns();
  const detail::Out closure = packed_closure(task);
  if (closure.stays) return keep_here(task);
  const int rank = fixed ? job_.rank_of(-2 - task.placed) : lending_.taker();
  look_for_takers();
  if (rank < 0) return false;
  detail::Out out;
  out(++numbers_, failures_.times_forgotten(), fixed, place_of(task));
  failures_.put_place(out);
  put_head(out, task, fixed ? -2 - task.placed : -1);
  for (const Record& record : task) {
    Object& object = *record.object;
    out(handle_of(object), record.rights, record.kind, modules().encode(object.type), object.number,
        object.its_name());
    try {
      object.type->pack(object.value, out);
    } catch (const std::exception& error) {
      job_.fail(fmt::format("{} cannot be sent from rank {} to rank {}: {}", object.text(), job_.rank, rank,
                            error.what()));
    }
  }
  out(closure.addresses, closure.data);
  if (out.data.size() > most_lent) return keep_here(task);
  job_.wire.send_object(rank, Message::lend, std::move(out.data));
  lent_.emplace(numbers_, Lent{&task, seconds_since(begin), fixed});
  out_.store(lent_.size(), std::memory_order_release);
  return true;
}

// A rank that spares no task now remembers which rank asked.
void Loans::wanted_by(int rank, int tasks) {
  job_.wire.mutex.assert_held();
  lending_.asks(rank, tasks);
  all_told_.store(false);
  look_for_takers();
  for (const auto& worker : job_.runtime.workers) {
    for (int i = 0; i < tasks && !lending_.none() && enough_here(); ++i) {
      ReadyList found;
      Task* const task = worker->processor.steal(2, found);
      if (task != nullptr) found.push(task);
      if (found.empty()) break;
      while (!found.empty()) Worker::self()->schedule_one(found.pop());
    }
  }
}

void Loans::want() {
  if (rich_count_.load(std::memory_order_relaxed) == 0) return;
  const std::unique_lock lock(job_.wire.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  job_.wire.mutex.assert_held();
  if (rich_.empty()) return;
  const int rank = rich_.front();
  rich_.erase(rich_.begin());
  rich_count_.store(rich_.size());
  detail::Out out;
  out(static_cast<int>(job_.runtime.workers.size()));
  job_.wire.send(rank, Message::wanted, out.data.data(), out.data.size());
}

void Loans::spares(int rank) {
  job_.wire.mutex.assert_held();
  if (std::find(rich_.begin(), rich_.end(), rank) == rich_.end()) rich_.push_back(rank);
  rich_count_.store(rich_.size());
}

bool Loans::work_here() const {
  return std::any_of(job_.runtime.workers.begin(), job_.runtime.workers.end(),
                     [](const auto& worker) { return !worker->processor.empty(); });
}

void Loans::borrow(int source, detail::In in) {
  job_.wire.mutex.assert_held();
  std::uint64_t number = 0, forgotten = 0;
  bool fixed = false;
  Place place, failed;
  in(number, forgotten, fixed, place, failed);
  // Failures are forgotten in the order of the home's events: of two ranks one may be ahead.
  const bool same = forgotten == failures_.times_forgotten();
  if (same && !failed.empty()) job_.runtime.failure.note(failed, nullptr);
  if (!same || (!fixed && (job_.runtime.idle.load() == 0 || work_here())) ||
      (job_.runtime.failure.any() && job_.runtime.failure.precedes(place))) {
    if (!fixed) spares(source);
    detail::Out out;
    out(number, false);
    return job_.wire.send(source, Message::returned, out.data.data(), out.data.size());
  }
  const Head head = read_head(job_, in);
  Task& task = head.task;
  auto loan = std::make_unique<Loan>();
  loan->lender = source;
  loan->number = number;
  loan->since = progress::now_ns();
  place.pop_back();
  loan->parent = std::move(place);
  for (; task.count < head.records; ++task.count) {
    Record& record = *::new (task.records() + task.count) Record;
    auto copy = std::make_unique<Shadow>();
    std::uint64_t type = 0, its_number = 0;
    std::string name;
    in(copy->real, record.rights, record.kind, type, its_number, name);
    job_.object_at(copy->real).copies.fetch_add(1, std::memory_order_relaxed);
    copy->generation.store(copy->real.generation, std::memory_order_relaxed);
    copy->describe(modules().decode_as<detail::Type>(type), its_number, std::move(name));
    copy->value = copy->type->unpack(nullptr, in);
    record.object = copy.get();
    record.task = &task;
    loan->copies.push_back({std::move(copy), record.rights});
  }
  task.guest = new Guest{false, false, task.place, {}, std::move(loan)};
  task.stage = Stage::settled;
  start_task(job_, in, task);
}

void Loans::give_back(Loan& loan) {
  job_.wire.mutex.assert_held();
  detail::Out out;
  const bool wants = !work_here();  // the worker that ends this one has nothing else
  if (!wants) spares(loan.lender);
  out(loan.number, true, wants, seconds_since(loan.since));
  failures_.put_place(out);
  const auto told = job_.runtime.failure.look();
  const bool whole = told && told->whole;
  out(whole);
  if (whole) FailureMessages::put(out, *told);
  for (const Loan::Copy& copy : loan.copies) {
    Object& object = *copy.object;
    const bool there = object.value != nullptr;
    if (copy.rights != detail::reads) {
      out(there);
      if (there) object.type->pack(object.value, out);
    }
    if (there) object.type->drop(object.value);
    object.value = nullptr;
    copy.object->real.object->copies.fetch_sub(1, std::memory_order_relaxed);
  }
  job_.wire.send_object(loan.lender, Message::returned, std::move(out.data));
}

void Loans::returned(int source, detail::In in) {
  job_.wire.mutex.assert_held();
  const auto begin = progress::now_ns();
  std::uint64_t number = 0;
  bool done = false;
  in(number, done);
  const Lent lent = taken(lent_, number).value();
  Task& task = *lent.task;
  out_.store(lent_.size(), std::memory_order_release);
  if (!done) {
    lending_.refuses(source);
    look_for_takers();
    task.placed = -1;
    keep_here(task);
    return Worker::self()->schedule_one(&task);
  }
  bool wants = false, whole = false;
  double there = 0;
  Place failed;
  in(wants, there, failed, whole);
  if (whole) {
    failures_.take(source, in);
  } else if (!failed.empty()) {
    job_.runtime.failure.note(failed, nullptr);
  }
  for (Record& record : task) {
    if (record.rights == detail::reads) continue;
    Object& object = *record.object;
    bool still = false;
    in(still);
    if (!still) {
      object.type->drop(object.value);
      object.value = nullptr;
    } else if (fault(Fault::lost_loan)) {
      object.type->drop(object.type->unpack(nullptr, in));
    } else {
      object.value = object.type->unpack(object.value, in);
    }
  }
  task.body->drop(task.closure);
  if (!lent.fixed) lending_.over(there, lent.cost + seconds_since(begin));
  if (wants) {
    lending_.asks(source, 1);
    look_for_takers();
  } else if (!lent.fixed) {
    lending_.refuses(source);
  }
  ++back_;
  Worker::self()->end_elsewhere(&task);
  job_.runtime.look_around();
}

}  // namespace lapwing::tasks::ranks
