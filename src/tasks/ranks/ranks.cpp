// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/ranks.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <lapwing/tasks/errors.hpp>

#include <algorithm>
#include <bit>

#include "progress/waiting.hpp"
#include "tasks/failure.hpp"
#include "tasks/ranks/messages.hpp"
#include "tasks/ranks/range.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

namespace {
double cpu_now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
}  // namespace

Ranks::Ranks(Runtime& runtime, Wire& wire)
    : runtime_(runtime),
      wire_(wire),
      rank_(wire.rank()),
      ranks_(wire.ranks()),
      central_mode_(runtime.options.central),
      lends_(runtime.options.lend),
      helper_(runtime, static_cast<int>(runtime.workers.size())),
      batches_(static_cast<std::size_t>(ranks_)),
      ahead_(ranks_, runtime.options.locality),
      central_(ranks_, runtime.options.target * runtime.options.workers, runtime.options.locality),
      messages_(static_cast<std::size_t>(ranks_)),
      bytes_(messages_),
      cpu_(static_cast<std::size_t>(ranks_)),
      lending_(ranks_) {}

Ranks::~Ranks() { stop_helper(); }

void Ranks::start() {
  const std::lock_guard lock(wire_.mutex);
  detail::Out own;
  own& modules().scan() & static_cast<int>(runtime_.workers.size()) & runtime_.options.node_memory;
  std::vector<std::vector<char>> loaded;
  bool node_memory = true;
  first_worker_.assign(1, 0);
  for (const auto& bytes : wire_.gather({own.data.begin(), own.data.end()})) {
    detail::In in{bytes.data(), bytes.data() + bytes.size()};
    int workers = 0;
    bool shares = false;
    in& loaded.emplace_back() & workers& shares;
    node_memory = node_memory && shares;
    first_worker_.push_back(first_worker_.back() + workers);
  }
  modules().agree(loaded);
  wire_.use_node_memory(node_memory);
  const auto threads = static_cast<long>(runtime_.workers.size()) * wire_.neighbours();
  crowded_ = threads > sysconf(_SC_NPROCESSORS_ONLN);
  cpu_at_start_ = cpu_now();
  messages_at_start_ = wire_.messages();
  // Of this run only: what was sent in others has been handled.
  looks_.sent = wire_.sent();
  looks_.handled = wire_.handled();
  bytes_at_start_ = wire_.bytes();
  for (int attempt = 0; range().begin() == 0; ++attempt) {
    if (attempt == Range::attempts)
      throw Error("the ranks find no addresses for shared objects that are free on all");
    const bool got = range().reserve(attempt, rank_, ranks_);
    const auto all = wire_.gather({static_cast<char>(got)});
    if (std::any_of(all.begin(), all.end(), [](const auto& one) { return one[0] == 0; })) range().release();
  }
  modules().share(range().begin(), range().end());
  const auto share = runtime_.options.window / (4 * static_cast<std::size_t>(ranks_));
  report_every_ = std::clamp<std::uint64_t>(share, 1, 64);
  wire_.on_message([this](int source, int kind, Arrived message) {
    try {
      handle(source, kind, std::move(message));
    } catch (const std::exception& error) {
      fail(fmt::format("rank {} cannot take a message of rank {}: {}", rank_, source, error.what()));
    }
  });
  if (!home()) runtime_.main.pending.store(2, std::memory_order_relaxed);  // the end may come at once
  helper_thread_ = std::thread([this] { help(); });
}

// A rank whose workers are all busy, or asleep, still answers.
void Ranks::help() {
  helper_.adopt_as_self();
  const progress::Pauses& pauses = wire_.woken_by_all() ? progress::for_tasks_if_rung : progress::for_tasks;
  const auto rest_for = [](std::int64_t ns) { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); };
  std::int64_t rest = pauses.shortest;
  while (!stop_helper_.load(std::memory_order_relaxed)) {
    if (home()) watch();
    if (pollers_.load() > 0) {
      rest_for(progress::rest_beside_workers);
      if (pollers_.load() > 0) continue;
    }
    wire_.listen(true);
    if (look_well() != 0) {
      // There may be more soon: nobody needs to ring for that.
      wire_.listen(false);
      move_on();
      rest = pauses.shortest;
      rest_for(rest);
      continue;
    }
    wire_.sleep(std::chrono::nanoseconds(waits_to_send() ? pauses.shortest : rest));
    rest = pauses.after(false, rest);
  }
  Worker::self_is_nobody();
}

// Large objects move strip by strip, and only while a thread looks: where a
// worker sleeps, its core is free for that.
void Ranks::move_on() {
  std::uint64_t last = progress::now_ns();
  while (moving() && !crowded_ && pollers_.load() == 0 && runtime_.sleepers.load() > 0 &&
         progress::now_ns() - last < progress::longest_without_strip) {
    if (poll() > 0) last = progress::now_ns();
  }
}

void Ranks::begin_polling() {
  if (pollers_.fetch_add(1) == 0) wire_.listen(false);
}

void Ranks::end_polling() {
  if (pollers_.fetch_sub(1) != 1) return;
  wire_.listen(true);
  look_well();  // what came before that has woken nobody
}

// An MPI that is asked may fetch what has come only after it has answered.
int Ranks::look_well() {
  const int found = poll();
  return found != 0 || wire_.by_memory_only() ? found : poll();
}

bool Ranks::waits_to_send() {
  const std::unique_lock lock(wire_.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return true;
  return wire_.busy() || std::any_of(batches_.begin(), batches_.end(),
                                     [](const Batch& batch) { return !batch.out.data.empty(); });
}

void Ranks::stop_helper() {
  stop_helper_.store(true);
  if (helper_thread_.joinable()) helper_thread_.join();
}

int Ranks::poll() {
  const std::unique_lock lock(wire_.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return -1;
  const int moved = wire_.progress();
  moving_.store(wire_.busy(), std::memory_order_relaxed);
  if (!home()) return moved;
  for (int rank = 1; rank < ranks_; ++rank) {
    const Batch& batch = batches_[static_cast<std::size_t>(rank)];
    if (batch.out.data.empty()) continue;
    const std::uint64_t tasks = std::min<std::uint64_t>(ahead_.load(rank), 1000);
    const auto patience = std::min(progress::batch_waits_most, progress::batch_waits_for_task * (1 + tasks));
    if (progress::now_ns() - batch.since > patience) flush(rank);
  }
  return moved;
}

void Ranks::serve() { Worker::suspend(); }

void Ranks::end_all() {
  const std::lock_guard lock(wire_.mutex);
  for (int rank = 1; rank < ranks_; ++rank) batch(rank) & Event::end;
  flush();
}

void Ranks::settle() {
  stop_helper();
  const std::lock_guard lock(wire_.mutex);
  wire_.settle();
  early_.clear();
  newest_.clear();
}

int Ranks::here(int worker) const {
  const int local = worker - first_worker();
  return local >= 0 && local < static_cast<int>(runtime_.workers.size()) ? local : -1;
}

int Ranks::rank_of(int worker) const {
  int rank = 0;
  while (worker >= first_worker_[static_cast<std::size_t>(rank) + 1]) ++rank;
  return rank;
}

void Ranks::ended(Task& task) {
  const std::unique_ptr<Guest> guest(task.guest);
  task.guest = nullptr;
  const std::lock_guard lock(wire_.mutex);
  for (Guest::Part& part : guest->parts) {
    detail::Out out;
    out& static_cast<detail::ObjectHead*>(part.object) & guest->place;
    put_failure(out);
    out& part.values.size();
    for (void* const value : part.values) {
      part.type->pack(value, out);
      part.reduction->drop(value);
    }
    wire_.send(part.to, Message::parts, out.data.data(), out.data.size());
  }
  if (guest->loan != nullptr) return give_back_loan(*guest->loan);
  if (guest->at_once) {
    detail::Out out;
    out & guest->place;
    put_counts(out);
    return wire_.send(0, Message::ended, out.data.data(), out.data.size());
  }
  if (!guest->counted) return;
  ++ended_;
  if (ended_ == asked_ || ended_ - reported_ >= report_every_) report();
}

void Ranks::put_counts(detail::Out& out) const {
  out&(wire_.messages() - messages_at_start_) & (wire_.bytes() - bytes_at_start_) &
      (cpu_now() - cpu_at_start_);
}

void Ranks::get_counts(detail::In& in, int rank) {
  const auto from = static_cast<std::size_t>(rank);
  in& messages_[from] & bytes_[from] & cpu_[from];
}

void Ranks::report() {
  if (reported_ == ended_) return;
  reported_ = ended_;
  detail::Out out;
  out& ended_;
  put_counts(out);
  wire_.send(0, Message::finished, out.data.data(), out.data.size());
}

void Ranks::put_told(detail::Out& out, const Failure::Told& told) {
  out& told.place& told.what& told.task& modules().encode(std::bit_cast<std::uint64_t>(told.where)) &
      told.reason;
}

// Tells the lender the exception that a borrowed task threw.
void Ranks::tell_failure(const Task& task) {
  const auto told = runtime_.failure.look();
  if (!told || !told->whole || in_loan(task)) return;
  const std::lock_guard lock(wire_.mutex);
  if (home()) {
    for (int rank = 1; rank < ranks_; ++rank) batch(rank) & Event::failure & told->place;
    return;
  }
  detail::Out out;
  put_told(out, *told);
  wire_.send(0, Message::failed, out.data.data(), out.data.size());
}

void Ranks::put_failure(detail::Out& out) {
  const auto told = runtime_.failure.look();
  out&(told ? told->place : Place{});
}

void Ranks::get_failure(detail::In& in) {
  Place place;
  in& place;
  if (!place.empty()) runtime_.failure.note(place, nullptr);
}

void Ranks::add_to(Statistics& statistics) const {
  const std::lock_guard lock(wire_.mutex);
  statistics.messages = wire_.messages() - messages_at_start_;
  statistics.bytes = wire_.bytes() - bytes_at_start_;
  statistics.most_messages = statistics.messages;
  statistics.moved = moved_;
  statistics.early = early_uses_.load();
  statistics.cpu_seconds = cpu_;
  statistics.cpu_seconds[static_cast<std::size_t>(rank_)] = cpu_now() - cpu_at_start_;
  for (int rank = 1; rank < ranks_; ++rank) {
    const auto each = static_cast<std::size_t>(rank);
    statistics.messages += messages_[each];
    statistics.bytes += bytes_[each];
    statistics.most_messages = std::max(statistics.most_messages, messages_[each]);
    statistics.tasks += central_mode_ ? 0 : ahead_.sent_to(rank) - ahead_.load(rank);
  }
  statistics.lent = lent_and_back_;
  if (!home()) return;
  statistics.targeted = wished_;
  statistics.on_target = on_wish_;
}

}  // namespace lapwing::tasks::ranks
