// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/ranks.hpp"

#include <fmt/format.h>
#include <lapwing/tasks/errors.hpp>

#include <algorithm>
#include <memory>

#include "progress/cores.hpp"
#include "tasks/failure.hpp"
#include "tasks/ranks/modules.hpp"
#include "tasks/ranks/range.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

Ranks::Ranks(Runtime& runtime, Wire& wire)
    : job(runtime, wire),
      outbox(job),
      failures(job, outbox),
      transfers(job, outbox, failures),
      placement(job),
      home(job, outbox, transfers, placement),
      central(job, outbox, failures, transfers, placement),
      loans(job, failures),
      counts(job),
      stall_watch(job, outbox, transfers),
      poller(job, outbox, stall_watch, [this](int rank) { return home.unfinished_on(rank); }) {}

void Ranks::agree_on_workers() {
  detail::Out own;
  own(modules().scan(), static_cast<int>(job.runtime.workers.size()), job.runtime.options.node_memory);
  std::vector<std::vector<char>> loaded;
  bool node_memory = true;
  job.first_worker.assign(1, 0);
  for (const auto& bytes : job.wire.gather({own.data.begin(), own.data.end()})) {
    detail::In in{bytes.data(), bytes.data() + bytes.size()};
    int workers = 0;
    bool shares = false;
    in(loaded.emplace_back(), workers, shares);
    node_memory = node_memory && shares;
    job.first_worker.push_back(job.first_worker.back() + workers);
  }
  modules().agree(loaded);
  job.wire.use_node_memory(node_memory);
  const auto threads = static_cast<long>(job.runtime.workers.size()) * job.wire.neighbours();
  job.crowded = threads > progress::cores_of_node();
}

void Ranks::agree_on_addresses() {
  for (int attempt = 0; range().begin() == 0; ++attempt) {
    if (attempt == Range::attempts)
      throw Error("the ranks find no addresses for shared objects that are free on all");
    const bool got = range().reserve(attempt, job.rank, job.ranks);
    const auto all = job.wire.gather({static_cast<char>(got)});
    if (std::any_of(all.begin(), all.end(), [](const auto& one) { return one[0] == 0; })) range().release();
  }
  modules().share(range().begin(), range().end());
}

void Ranks::start() {
  const progress::Holding lock(job.wire.mutex);
  agree_on_workers();
  const auto share = job.runtime.options.window / (4 * static_cast<std::size_t>(job.ranks));
  counts.start(std::clamp<std::uint64_t>(share, 1, 64));
  stall_watch.start();
  agree_on_addresses();
  job.wire.on_message([this](int source, int kind, Arrived message) {
    try {
      handle(source, kind, std::move(message));
    } catch (const std::exception& error) {
      job.fail(fmt::format("rank {} cannot take a message of rank {}: {}", job.rank, source, error.what()));
    }
  });
  // The end may come at once.
  if (!job.home()) job.runtime.main.pending.store(2, std::memory_order_relaxed);
  poller.start();
}

void Ranks::end_all() {
  const progress::Holding lock(job.wire.mutex);
  outbox.to_all(Event::end);
  outbox.flush();
}

void Ranks::settle() {
  poller.stop();
  const progress::Holding lock(job.wire.mutex);
  job.wire.settle();
  transfers.clear();
}

void Ranks::flush() {
  if (!job.home()) return;
  const progress::Holding lock(job.wire.mutex);
  outbox.flush();
}

bool Ranks::others_at_work() const {
  return home.unfinished() > 0 || central.elsewhere() > 0 || loans.out() > 0;
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
    const progress::Holding lock(job.wire.mutex);
    outbox.to_all(Event::complaint, sentence);
  }
  throw Error(sentence);
}

bool Ranks::launch(Task& task) {
  require_known(task);
  if (!central.on()) return home.launch(task);
  for (Record& record : task) {
    if (!job.runtime.options.replication && record.kind == Class::shared) record.kind = Class::exclusive;
  }
  return false;
}

bool meet(const detail::Handle& handle, const detail::Type* type, const Task& task) {
  const Range& all = range();
  if (!all.has(handle.object) || all.maker(handle.object) == all.rank()) return true;
  Object& object = Worker::self()->runtime.ranks->job.object_at(handle);
  const bool by_main = task.main || (task.parent->main && task.fresh);
  // Only the object's maker knows its name and number.
  if (by_main && type != nullptr && object.generation.load() == 0) {
    object.describe(type, 0, fmt::format("made on rank {}", all.maker(&object)));
    object.generation.store(handle.generation, std::memory_order_release);
  }
  return by_main;
}

void Ranks::send_parts(const Guest& guest) const {
  for (const Guest::Part& part : guest.parts) {
    detail::Out out;
    out(static_cast<detail::ObjectHead*>(part.object), guest.place);
    failures.put_place(out);
    out(part.values.size());
    for (void* const value : part.values) {
      part.type->pack(value, out);
      part.reduction->drop(value);
    }
    job.wire.send(part.to, Message::parts, out.data.data(), out.data.size());
  }
}

void Ranks::ended(Task& task) {
  const std::unique_ptr<Guest> guest(task.guest);
  task.guest = nullptr;
  const progress::Holding lock(job.wire.mutex);
  send_parts(*guest);
  if (guest->loan != nullptr) return loans.give_back(*guest->loan);
  if (!guest->at_once) return guest->counted ? counts.task_ended() : void();
  detail::Out out;
  out(guest->place);
  counts.put(out);
  job.wire.send(0, Message::ended, out.data.data(), out.data.size());
}

void Ranks::add_to(Statistics& statistics) const {
  const progress::Holding lock(job.wire.mutex);
  counts.add_to(statistics);
  statistics.moved = transfers.moved();
  statistics.early = transfers.early_uses();
  statistics.lent = loans.back();
  if (!central.on()) {
    for (int rank = 1; rank < job.ranks; ++rank) statistics.tasks += home.ended_on(rank);
  }
  if (!job.home()) return;
  statistics.targeted = placement.targeted();
  statistics.on_target = placement.on_target();
}

}  // namespace lapwing::tasks::ranks
