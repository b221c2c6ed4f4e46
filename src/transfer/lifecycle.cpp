// SPDX-License-Identifier: Apache-2.0
// From MPI_Init to MPI_Finalize.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <stdexcept>

#include "guard/devices.hpp"
#include "mpi/ending.hpp"
#include "mpi/launch.hpp"
#include "mpi/spare_core.hpp"
#include "mpi/world_ranks.hpp"
#include "transfer/accounts/record.hpp"
#include "transfer/collectives/members.hpp"
#include "transfer/decisions/sizes.hpp"
#include "transfer/engine.hpp"
#include "transfer/helper.hpp"
#include "transfer/pages/begin_trace.hpp"
#include "transfer/pages/page_trace.hpp"
#include "transfer/planted.hpp"
#include "transfer/wire/mark.hpp"

namespace lapwing::transfer {
namespace {

void demand(void* helper) { static_cast<Helper*>(helper)->wake(); }

guard::Backend wanted_backend(const std::string& name) {
  if (name == "userfaultfd") return guard::Backend::userfaultfd;
  if (name == "mprotect") return guard::Backend::mprotect;
  return guard::Backend::none;
}

}  // namespace

Engine::Engine(const Settings& settings) : settings_(settings) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &world_size_);
  PMPI_Comm_dup(MPI_COMM_WORLD, &control_comm_);
  PMPI_Comm_dup(MPI_COMM_WORLD, &strips_comm_);
  PMPI_Comm_dup(MPI_COMM_SELF, &self_comm_);
  for (MPI_Comm comm : {control_comm_, strips_comm_, self_comm_})
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  control_ = std::make_unique<Control>(control_comm_, world_size_);
  control_->on(credit_kind, [this](int s, const char* d, std::size_t n) { on_credit(s, d, n); });
  control_->on(truncated_kind, [this](int s, const char* d, std::size_t n) { on_truncated(s, d, n); });
  control_->on(drain_kind, [this](int s, const char* d, std::size_t n) { on_drain(s, d, n); });

  governor_ = std::make_unique<Governor>(*this, settings_.defer == Defer::on);
  Mark::agree(control_comm_);

  local_.assign(static_cast<std::size_t>(world_size_), false);
  MPI_Comm node;
  PMPI_Comm_split_type(control_comm_, MPI_COMM_TYPE_SHARED, world_rank_, MPI_INFO_NULL, &node);
  MPI_Group node_group;
  PMPI_Comm_group(node, &node_group);
  const std::vector<int> here = mpi::world_ranks(node_group);
  for (int rank : here) local_[static_cast<std::size_t>(rank)] = true;
  PMPI_Group_free(&node_group);
  spare_core_ = mpi::find_spare_core(node) || settings_.assumes_free_core();
  PMPI_Comm_free(&node);
}

Engine::~Engine() {
  helper_->stop();
  if (guarding_) guard::stop();
  Members::stop();
  for (MPI_Comm* comm : {&control_comm_, &strips_comm_, &self_comm_}) PMPI_Comm_free(comm);
}

void Engine::start_guards() {
  if (settings_.accelerators_ignored) guard::ignore_accelerators();
  if (settings_.guard == "none") return;
  guarding_ = guard::start(wanted_backend(settings_.guard), demand, helper_.get());
}

// A rank's own sizes would do: its sender alone decides how a message travels. But where the two ranks of a
// pair differ, one direction of an exchange is stripped and the other not.
void Engine::take_sizes(const KnownCosts& known, bool all_know_node, bool all_know_network) {
  const auto near = static_cast<int>(std::count(local_.begin(), local_.end(), true));
  const bool in_node = near > 1, in_network = near < world_size_;
  const auto say = [&](const std::string& other, bool here, bool everywhere) {
    if (world_rank_ != 0) return;
    if (!other.empty()) fmt::print(stderr, "lapwing: {}.\n", other);
    if (here && !everywhere)
      fmt::print(stderr,
                 "lapwing: the profile {} does not hold for the machines of all ranks, so sizes keep their "
                 "defaults.\n",
                 settings_.profile);
  };
  if (in_node) say(known.node_other, known.node.has_value(), all_know_node);
  if (in_network) say(known.network_other, known.network.has_value(), all_know_network);
  const guard::Backend backend = guard::capability().backend;
  node_sizes_ =
      transfer::sizes_for(settings_, all_know_node ? known.node : std::nullopt, backend, true, spare_core_);
  network_sizes_ = transfer::sizes_for(settings_, all_know_network ? known.network : std::nullopt, backend,
                                       false, spare_core_);
  // For those who ask before they know a message's destination.
  settings_.guard_threshold = std::min(in_node || !in_network ? node_sizes_.guard : machine::never,
                                       in_network ? network_sizes_.guard : machine::never);
}

void Engine::start(const Settings& settings, bool threads, const std::string& obstacle, bool futile) {
  int rank = 0, size = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    for (const std::string& complaint : settings.complaints) fmt::print(stderr, "lapwing: {}.\n", complaint);
  }
  auto stand_aside = [&](const std::string& why, bool loud) {
    Record::note_standing_aside(why);
    if (rank == 0 && (loud || settings.verbose > 0)) {
      fmt::print(stderr, "lapwing: {}; the program runs as it would without Lapwing.\n", why);
    }
  };
  const bool is_mode = settings.assumes_free_core() || settings.looks_briefly();
  if (!settings.fault.empty() && !is_mode && !planted::plant(settings.fault)) {
    if (rank != 0) mpi::end_job_in_silence(1);
    fmt::print(stderr, "lapwing: there is no fault named {}.\n", settings.fault);
    mpi::end_job(1);
  }
  if (size > 1) {
    std::string missing;
    switch (mpi::presence(mpi::Part::engine, rank, size, settings.uniform_job, &missing)) {
      case mpi::Presence::all:
        break;
      case mpi::Presence::some:
        // Told by whoever has Lapwing: rank 0 may be the one without it.
        Record::note_standing_aside("not every rank has Lapwing");
        if (rank == 0 || missing == "0") {
          fmt::print(
              stderr,
              "lapwing: rank {} of this job runs without Lapwing (not preloaded there, or LAPWING=off); "
              "all ranks run as they would without it.\n",
              missing);
        }
        return;
      case mpi::Presence::unknown:
        stand_aside(
            "this launcher does not tell whether every rank has Lapwing; if so, say LAPWING_JOB=uniform",
            true);
        return;
    }
  }
  const KnownCosts known = known_costs(settings);
  if (rank == 0 && !known.unreadable.empty())
    fmt::print(stderr, "lapwing: {}; sizes keep their defaults.\n", known.unreadable);
  // From here on every rank takes part, whatever it found.
  // A report is made also of a job in which nothing is deferred.
  std::unique_ptr<TraceFile> trace = begin_trace(settings, rank, size);
  const bool wanted = settings.defer != Defer::off || !settings.report.empty();
  const bool possible = threads && settings.helper && wanted && !futile;
  std::unique_ptr<HintFile> hints;
  if (!settings.hints.empty()) {
    hints = std::make_unique<HintFile>();
    std::string complaint;
    hints->read(settings.hints, &complaint);
    if (rank == 0 && !complaint.empty()) fmt::print(stderr, "lapwing: {}.\n", complaint);
  }
  const int hinted = hints ? static_cast<int>(hints->entries().size()) : 0;
  // The least of all ranks: for the first six, whether it holds on each of them.
  struct Found {
    int possible, collectives, gets, node_known, network_known, traced, first_without_trace, hints,
        minus_hints;
  };
  const Found mine{possible,
                   Members::wanted(settings),
                   settings.one_sided == Defer::on,
                   known.node.has_value(),
                   known.network.has_value(),
                   trace != nullptr,
                   trace && trace->error() != 0 ? rank : size,
                   hinted,
                   -hinted};
  Found all{};
  PMPI_Allreduce(&mine, &all, sizeof all / sizeof(int), MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == all.first_without_trace) say_trace_failed(*trace, "the program runs on without it");
  if (trace && trace->error() != 0) trace.reset();
  if (all.possible == 0) {
    std::string why = "on some rank deferring is off";
    if (settings.defer == Defer::off)
      why = "LAPWING_DEFER=off";
    else if (futile)
      why = "all ranks share this node, and none of its cores is free to move messages";
    else if (!settings.helper)
      why = "LAPWING_HELPER=off, and nothing is deferred without a helper";
    else if (!threads)
      why = obstacle.empty() ? "this MPI offers no MPI_THREAD_MULTIPLE" : obstacle;
    const bool asked = !settings.pages.empty();
    stand_aside(
        why, asked || (!futile && (!obstacle.empty() || (settings.defer != Defer::off && settings.helper))));
    return;
  }
  auto* engine = new Engine(settings);
  engine->collectives_wanted_ = all.collectives != 0;
  engine->accesses_wanted_ = all.gets != 0;
  try {
    engine->helper_ = std::make_unique<Helper>(*engine);
    engine->start_guards();
    engine->take_sizes(known, all.node_known != 0, all.network_known != 0);
    engine->take_hints(std::move(hints), all.hints == -all.minus_hints);
    engine->trace_pages(std::move(trace), all.traced != 0);
    if (!engine->helper_->start(guard::event_fd())) throw std::runtime_error("no helper thread can be made");
  } catch (const std::exception& error) {
    fmt::print(
        stderr,
        "lapwing: rank {}: {}; the job cannot go on, as the other ranks rely on it. Try LAPWING=off.\n", rank,
        error.what());
    mpi::end_job(1);
  }
  instance_.store(engine, std::memory_order_release);
}

void Engine::finish() {
  {
    std::lock_guard lock(mutex_);
    governor_->close();
    governor_->observer().end(nullptr, reinterpret_cast<const char*>(UINTPTR_MAX));
    if (pages_) pages_->finish();
    listening_ = true;
  }
  drive([&] { return incoming_.empty(); });
  // Once all ranks are here nobody matches a message any more. Until then this
  // rank serves those that still receive from it.
  MPI_Request everybody;
  PMPI_Ibarrier(control_comm_, &everybody);
  drive([&] {
    int here = 0;
    PMPI_Test(&everybody, &here, MPI_STATUS_IGNORE);
    return here != 0;
  });
  // Messages sent to this rank before the barrier may still be on their way:
  // the senders' counts tell how much of it there is.
  std::vector<std::uint64_t> sent = control_->sent_to();
  std::uint64_t expected = 0;
  PMPI_Ireduce_scatter_block(sent.data(), &expected, 1, MPI_UINT64_T, MPI_SUM, strips_comm_, &everybody);
  bool counted = false;
  drive([&] {
    int done = 0;
    if (!counted) PMPI_Test(&everybody, &done, MPI_STATUS_IGNORE);
    counted |= done != 0;
    return counted && control_->handled() >= expected && incoming_.empty();
  });
  // A message without any credit was never received, which MPI lets a program
  // get away with; all others leave now.
  drive([&] {
    return std::all_of(outgoing_.begin(), outgoing_.end(), [](const auto& t) { return t->credited() == 0; });
  });
  std::lock_guard lock(mutex_);
  for (const auto& transfer : outgoing_) transfer->abandon();
  outgoing_.clear();
}

void Engine::stop() {
  Engine* engine = get();
  if (!engine) return;
  engine->finish();
  instance_.store(nullptr, std::memory_order_release);
  engine->end_page_trace();
  engine->tell_unused_hints();
  Record::collect(engine, engine->control_comm_);
  delete engine;
}

}  // namespace lapwing::transfer
