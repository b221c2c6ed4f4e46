// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/lend.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "progress/clock.hpp"
#include "tasks/planted.hpp"
#include "tasks/ranks/messages.hpp"
#include "tasks/ranks/range.hpp"
#include "tasks/ranks/ranks.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

namespace {

constexpr std::size_t most_lent = std::size_t{1} << 30;  // bytes that one task takes along

using progress::seconds_since;

const Loan* loan_of(const Task& task) {
  for (const Task* t = &task; t != nullptr && !t->main; t = t->parent) {
    if (t->guest != nullptr && t->guest->loan != nullptr) return t->guest->loan.get();
  }
  return nullptr;
}

bool travels(Task& task) {
  if (task.body->pack == nullptr || modules().encode(task.body) == 0) return false;
  for (const Record& record : task) {
    const Object& object = *record.object;
    // Accesses that are acquired later wait here, and parts are combined here.
    if (record.deferred != 0 || record.kind == Class::reducing) return false;
    if (object.value == nullptr || object.landing.load(std::memory_order_acquire)) return false;
    if (object.type->unpack == nullptr || modules().encode(object.type) == 0) return false;
  }
  return true;
}

}  // namespace

const Place* place_of_lender(const Guest& guest) {
  return guest.loan == nullptr ? nullptr : &guest.loan->parent;
}

bool in_loan(const Task& task) { return loan_of(task) != nullptr; }

Object* borrowed(const detail::Handle& handle, const Task& task) {
  const Loan* const loan = loan_of(task);
  if (loan == nullptr) return nullptr;
  for (const Loan::Copy& copy : loan->copies) {
    const detail::Handle& real = copy.object->real;
    if (real.object == handle.object && real.generation == handle.generation) return copy.object.get();
  }
  return nullptr;
}

detail::Handle handle_of(Object& object) {
  if (!range().has(&object)) return static_cast<Shadow&>(object).real;
  return {&object, object.generation.load(std::memory_order_relaxed)};
}

int Ranks::place_of_child(int worker) const {
  const int local = here(worker);
  return worker < 0 || local >= 0 || !lends_ ? local : -2 - worker;
}

// Every worker here has a task waiting that it can run next.
bool Ranks::enough_here() const {
  int waiting = 0;
  for (const auto& worker : runtime_.workers) waiting += worker->processor.stealable();
  return waiting >= static_cast<int>(runtime_.workers.size());
}

void Ranks::tell_of_spare() {
  if (all_told_.load(std::memory_order_relaxed)) return;
  const std::unique_lock lock(wire_.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const int rank = lending_.listener(rank_);
  if (rank < 0) {
    all_told_.store(true);
    return;
  }
  wire_.send(rank, Message::spare, nullptr, 0);
}

bool Ranks::lend(Task& task) {
  const bool fixed = task.placed < -1;
  if (!fixed) {
    if (!enough_here()) return false;
    if (takers_.load(std::memory_order_relaxed) == 0) {
      tell_of_spare();
      return false;
    }
  }
  const std::lock_guard lock(wire_.mutex);
  const bool skipped = runtime_.failure.any() && runtime_.failure.precedes(place_of(task));
  if (skipped || !travels(task)) return keep_here(task);
  const auto begin = progress::now_ns();
  detail::Out closure;
  closure.closure = true;
  task.body->pack(task.closure, closure);
  if (closure.stays) return keep_here(task);
  const int rank = fixed ? rank_of(-2 - task.placed) : lending_.taker();
  takers_.store(lending_.none() ? 0 : 1, std::memory_order_relaxed);
  if (rank < 0) return false;
  detail::Out out;
  out & ++loans_& forgotten_& fixed& place_of(task);
  put_failure(out);
  put_head(out, task, fixed ? -2 - task.placed : -1);
  for (const Record& record : task) {
    Object& object = *record.object;
    out& handle_of(object) & record.rights& record.kind& modules().encode(object.type) & object.number;
    out& object.its_name();
    try {
      object.type->pack(object.value, out);
    } catch (const std::exception& error) {
      fail(fmt::format("{} cannot be sent from rank {} to rank {}: {}", object.text(), rank_, rank,
                       error.what()));
    }
  }
  out& closure.addresses& closure.data;
  if (out.data.size() > most_lent) return keep_here(task);
  wire_.send_object(rank, Message::lend, std::move(out.data));
  lent_.emplace(loans_, Lent{&task, seconds_since(begin), fixed});
  lent_out_.store(lent_.size(), std::memory_order_release);
  return true;
}

bool Ranks::keep_here(Task& task) {
  task.stays = true;
  return false;
}

// A rank that spares no task now remembers which rank asked.
void Ranks::wanted_by(int rank, int tasks) {
  lending_.asks(rank, tasks);
  all_told_.store(false);
  takers_.store(1, std::memory_order_relaxed);
  for (const auto& worker : runtime_.workers) {
    for (int i = 0; i < tasks && !lending_.none() && enough_here(); ++i) {
      ReadyList found;
      Task* const task = worker->processor.steal(2, found);
      if (task != nullptr) found.push(task);
      if (found.empty()) break;
      while (!found.empty()) Worker::self()->schedule_one(found.pop());
    }
  }
}

void Ranks::want() {
  if (rich_count_.load(std::memory_order_relaxed) == 0) return;
  const std::unique_lock lock(wire_.mutex, std::try_to_lock);
  if (!lock.owns_lock() || rich_.empty()) return;
  const int rank = rich_.front();
  rich_.erase(rich_.begin());
  rich_count_.store(rich_.size());
  detail::Out out;
  out& static_cast<int>(runtime_.workers.size());
  wire_.send(rank, Message::wanted, out.data.data(), out.data.size());
}

void Ranks::spares(int rank) {
  if (std::find(rich_.begin(), rich_.end(), rank) == rich_.end()) rich_.push_back(rank);
  rich_count_.store(rich_.size());
}

bool Ranks::work_here() const {
  return std::any_of(runtime_.workers.begin(), runtime_.workers.end(),
                     [](const auto& worker) { return !worker->processor.empty(); });
}

void Ranks::borrow(int source, detail::In in) {
  std::uint64_t number = 0, forgotten = 0;
  bool fixed = false;
  Place place, failed;
  in& number& forgotten& fixed& place& failed;
  // Failures are forgotten in the order of the home's events: of two ranks one may be ahead.
  const bool same = forgotten == forgotten_;
  if (same && !failed.empty()) runtime_.failure.note(failed, nullptr);
  if (!same || (!fixed && (runtime_.idle.load() == 0 || work_here())) ||
      (runtime_.failure.any() && runtime_.failure.precedes(place))) {
    if (!fixed) spares(source);
    detail::Out out;
    out& number & false;
    return wire_.send(source, Message::returned, out.data.data(), out.data.size());
  }
  const Head head = read_head(in);
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
    in & copy->real& record.rights& record.kind& type& its_number& name;
    object_at(copy->real).copies.fetch_add(1, std::memory_order_relaxed);
    copy->generation.store(copy->real.generation, std::memory_order_relaxed);
    copy->describe(modules().decode_as<detail::Type>(type), its_number, std::move(name));
    copy->value = copy->type->unpack(nullptr, in);
    record.object = copy.get();
    record.task = &task;
    loan->copies.push_back({std::move(copy), record.rights});
  }
  task.guest = new Guest{false, false, task.place, {}, std::move(loan)};
  task.settled = true;
  start_task(in, task);
}

void Ranks::give_back_loan(Loan& loan) {
  detail::Out out;
  const bool wants = !work_here();  // whoever ends this one has nothing else
  if (!wants) spares(loan.lender);
  out& loan.number & true & wants& seconds_since(loan.since);
  const auto told = runtime_.failure.look();
  out&(told ? told->place : Place{});
  const bool whole = told && told->whole;
  out& whole;
  if (whole) put_told(out, *told);
  for (const Loan::Copy& copy : loan.copies) {
    Object& object = *copy.object;
    const bool there = object.value != nullptr;
    if (copy.rights != detail::reads) {
      out& there;
      if (there) object.type->pack(object.value, out);
    }
    if (there) object.type->drop(object.value);
    object.value = nullptr;
    copy.object->real.object->copies.fetch_sub(1, std::memory_order_relaxed);
  }
  wire_.send_object(loan.lender, Message::returned, std::move(out.data));
}

void Ranks::returned(int source, detail::In in) {
  const auto begin = progress::now_ns();
  std::uint64_t number = 0;
  bool done = false;
  in& number& done;
  const auto found = lent_.find(number);
  const Lent lent = found->second;
  Task& task = *lent.task;
  lent_.erase(found);
  lent_out_.store(lent_.size(), std::memory_order_release);
  if (!done) {
    lending_.refuses(source);
    takers_.store(lending_.none() ? 0 : 1, std::memory_order_relaxed);
    task.placed = -1;
    keep_here(task);
    return Worker::self()->schedule_one(&task);
  }
  bool wants = false, whole = false;
  double there = 0;
  Place failed;
  in& wants& there& failed& whole;
  if (whole) {
    take_failure(source, in);
  } else if (!failed.empty()) {
    runtime_.failure.note(failed, nullptr);
  }
  for (Record& record : task) {
    if (record.rights == detail::reads) continue;
    Object& object = *record.object;
    bool still = false;
    in& still;
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
    takers_.store(1, std::memory_order_relaxed);
  } else if (!lent.fixed) {
    lending_.refuses(source);
  }
  ++lent_and_back_;
  Worker::self()->end_elsewhere(&task);
  runtime_.look_around();
}

}  // namespace lapwing::tasks::ranks
