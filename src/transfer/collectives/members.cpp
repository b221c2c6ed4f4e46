// SPDX-License-Identifier: Apache-2.0
#include "transfer/collectives/members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <vector>

#include "transfer/engine.hpp"

namespace lapwing::transfer {
namespace {

std::mutex all_lock;
std::vector<MPI_Comm> all_comms;  // with members, in the order in which they were met

enum class Mode { off, automatic, always };

Mode mode_of(const Settings& settings) {
  if (settings.defer == Defer::off || settings.collectives == Defer::off) return Mode::off;
  const bool always = settings.collectives == Defer::on || settings.defer == Defer::on;
  return always ? Mode::always : Mode::automatic;
}

}  // namespace

GroupCalls::~GroupCalls() {
  if (voting_ != MPI_REQUEST_NULL) PMPI_Wait(&voting_, MPI_STATUS_IGNORE);
}

Vote GroupCalls::vote(bool able) const {
  using State = Agreement::State;
  Vote vote;
  vote[Vote::cannot] = able ? 0 : 1;
  if (const Engine* engine = Engine::get(); engine && engine->settings().restless()) {
    // For tests: trials begin, are kept and end all the time.
    vote[Vote::period] = vote[Vote::period_squared] = vote[Vote::share] = 1;
    vote[Vote::ratio] = agreement_.since() % 8 == 7 ? 1.5 : 0.9;
    return vote;
  }
  if (agreement_.defers()) {
    const bool tries = agreement_.state() == State::trying;
    const std::uint64_t time = times_.iteration(agreement_.period(), tries ? 1 : 3);
    vote[Vote::ratio] =
        plain_ns_ > 0 && time > 0 ? static_cast<double>(time) / static_cast<double>(plain_ns_) : 1;
    return vote;
  }
  const std::size_t period = times_.period();
  const auto as_number = static_cast<double>(period);
  vote[Vote::unready] = times_.iteration(period, 3) == 0 ? 1 : 0;
  vote[Vote::period] = as_number;
  vote[Vote::period_squared] = as_number * as_number;
  vote[Vote::share] = times_.share(period);
  return vote;
}

bool GroupCalls::begin(MPI_Comm comm, const Caller& caller, std::size_t bytes, bool able) {
  agreement_.begin_call();
  times_.begin(caller.address, bytes, now_ns());
  if (voting_ != MPI_REQUEST_NULL) {
    PMPI_Wait(&voting_, MPI_STATUS_IGNORE);
    const bool deferred = agreement_.defers();
    int members = 1;
    PMPI_Comm_size(comm, &members);
    agreement_.decide(sums_, members);
    say(comm, caller.name, sums_, members);
    if (deferred != agreement_.defers()) times_.changed();
  }
  if (agreement_.votes()) {
    mine_ = vote(able);
    if (!agreement_.defers()) plain_ns_ = times_.iteration(times_.period(), 3);
    PMPI_Iallreduce(mine_.values.data(), sums_.values.data(), Vote::fields, MPI_DOUBLE, MPI_SUM, comm,
                    &voting_);
  }
  return agreement_.defers();
}

// For LAPWING_VERBOSE=2.
void GroupCalls::say(MPI_Comm comm, const char* call, const Vote& sums, int members) const {
  const Engine* engine = Engine::get();
  int rank = 0;
  if (!engine || engine->settings().verbose < 2 || PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS || rank != 0)
    return;
  const double all = members;
  fmt::print(
      stderr,
      "lapwing: rank {}: {} on {} ranks: {}; period {:.1f}, {} not ready, {} cannot, could hide {:.1f} %, "
      "takes {:.3f} of the plain time.\n",
      engine->world_rank(), call, members, agreement_.name(), sums[Vote::period] / all, sums[Vote::unready],
      sums[Vote::cannot], 100 * sums[Vote::share] / all, sums[Vote::ratio] / all);
}

Members::Members(MPI_Comm comm) : comm_(comm) {
  PMPI_Comm_rank(comm, &rank_);
  PMPI_Comm_size(comm, &size_);
}

Members::~Members() {
  if (wire_ != MPI_COMM_NULL) PMPI_Comm_free(&wire_);
}

int Members::forget(MPI_Comm comm, int, void* attribute, void*) {
  {
    std::lock_guard lock(all_lock);
    all_comms.erase(std::remove(all_comms.begin(), all_comms.end(), comm), all_comms.end());
  }
  delete static_cast<Members*>(attribute);
  return MPI_SUCCESS;
}

Members* Members::of(Engine& engine, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return nullptr;
  void* attribute = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, key_, &attribute, &found) != MPI_SUCCESS) return nullptr;
  if (!found) {
    auto* fresh = new Members(comm);
    {
      std::lock_guard lock(engine.mutex());
      fresh->eligible_ = fresh->size_ > 1 && engine.comms().of(comm).eligible;
    }
    PMPI_Comm_set_attr(comm, key_, fresh);
    std::lock_guard lock(all_lock);
    all_comms.push_back(comm);
    attribute = fresh;
  }
  auto* members = static_cast<Members*>(attribute);
  return members->eligible_ ? members : nullptr;
}

bool Members::wanted(const Settings& settings) { return mode_of(settings) != Mode::off; }

std::array<bool, deferrable_collectives> Members::start(const std::array<bool, deferrable_collectives>& able,
                                                        const Settings& settings) {
  const Mode mode = mode_of(settings);
  std::array<int, deferrable_collectives + 1> mine{}, all{};
  mine[0] = static_cast<int>(mode);
  for (std::size_t i = 0; i < able.size(); ++i) mine[i + 1] = able[i];
  PMPI_Allreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  const Mode agreed = static_cast<Mode>(all[0]);
  always_ = agreed == Mode::always;
  bool any = false;
  for (std::size_t i = 0; i < on_.size(); ++i) {
    on_[i] = all[i + 1] != 0;
    any |= on_[i];
  }
  // Without a copy function a duplicate starts with nothing agreed.
  if (any) PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key_, nullptr);
  return on_;
}

void Members::stop() {
  if (key_ == MPI_KEYVAL_INVALID) return;
  on_.fill(false);
  for (;;) {
    MPI_Comm comm = MPI_COMM_NULL;
    {
      std::lock_guard lock(all_lock);
      if (all_comms.empty()) break;
      comm = all_comms.front();
    }
    PMPI_Comm_delete_attr(comm, key_);
  }
  PMPI_Comm_free_keyval(&key_);
}

MPI_Comm Members::wire() {
  if (wire_ != MPI_COMM_NULL) return wire_;
  // A duplicate would copy the program's attributes, by functions of the program's.
  MPI_Group group;
  PMPI_Comm_group(comm_, &group);
  PMPI_Comm_create(comm_, group, &wire_);
  PMPI_Group_free(&group);
  PMPI_Comm_set_errhandler(wire_, MPI_ERRORS_RETURN);
  return wire_;
}

}  // namespace lapwing::transfer
