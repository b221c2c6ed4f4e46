// SPDX-License-Identifier: Apache-2.0
#include "transfer/wait_in_mpi.hpp"

#include "mpi/looks.hpp"
#include "transfer/arrived.hpp"
#include "transfer/early.hpp"
#include "transfer/operations.hpp"

namespace lapwing::transfer {
namespace {

int error_class_of(int rc) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(rc, &error_class);
  return error_class;
}

// A receive as MPI has it, of which a header can still come.
bool is_simple(const Tracked& tracked) {
  return (tracked.state() == Tracked::State::posted || tracked.state() == Tracked::State::plain) &&
         !tracked.bounce && tracked.partner == MPI_REQUEST_NULL && tracked.substitute == MPI_REQUEST_NULL;
}

// Takes the lock. No other thread looks at these until leave().
bool enter(Engine& engine, Batch& batch) {
  const std::lock_guard lock(engine.mutex());
  if (!engine.at_rest()) return false;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Tracked* tracked = batch.tracked(i);
    if (tracked && !is_simple(*tracked)) return false;
  }
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (Tracked* tracked = batch.tracked(i)) tracked->enter_mpi();
  }
  return true;
}

// Under the lock. `total`: bytes of all receives of the call, which share its time.
void leave(Engine& engine, Tracked& tracked, const MPI_Status& status, bool failed, Site& site,
           std::uint64_t begun, std::uint64_t waited, std::size_t total) {
  int cancelled = 0;
  PMPI_Test_cancelled(&status, &cancelled);
  if (!failed && !cancelled) {
    CommInfo& info = *tracked.info;
    if (auto transfer = started_by_header(engine, tracked.destination, info, status, tracked.site))
      return tracked.found_header(status.MPI_SOURCE, status.MPI_TAG, std::move(transfer));
    const double share = static_cast<double>(tracked.destination.capacity) / static_cast<double>(total);
    note_plain_receive(engine, tracked.destination, info, status,
                       {site, tracked.site ? *tracked.site : site, begun,
                        static_cast<std::uint64_t>(static_cast<double>(waited) * share), tracked.posted_ns,
                        !tracked.persistent, tracked.state() == Tracked::State::plain});
  }
  tracked.found_plain();
}

// Under the lock. Those that MPI has not completed.
void leave_others(Batch& batch) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (Tracked* tracked = batch.tracked(i)) tracked->leave_mpi();
  }
}

// A message that came as a header returns once its pages are closed.
void drive_to_return(Engine& engine, Batch& batch) {
  engine.drive([&] {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Tracked* tracked = batch.tracked(i);
      if (tracked && tracked->incoming && !tracked->incoming->may_return()) return false;
    }
    return true;
  });
}

}  // namespace

bool wait_in_mpi(Engine& engine, Batch& batch, MPI_Request* request, MPI_Status* status, const Caller& caller,
                 int* rc) {
  if (!enter(engine, batch)) return false;
  MPI_Status own{};
  if (status != MPI_STATUS_IGNORE) own = *status;
  const std::uint64_t begun = now_ns();
  *rc = PMPI_Wait(batch.data(), &own);
  const std::uint64_t waited = now_ns() - begun;
  {
    std::lock_guard lock(engine.mutex());
    if (Tracked* tracked = batch.tracked(0)) {
      Site& site = engine.sites().at(caller.address, caller.name);
      leave(engine, *tracked, own, *rc != MPI_SUCCESS, site, begun, waited, tracked->destination.capacity);
    }
  }
  drive_to_return(engine, batch);
  std::lock_guard lock(engine.mutex());
  const Tracked* tracked = batch.tracked(0);
  const MPI_Comm comm = tracked ? tracked->info->teller() : MPI_COMM_NULL;
  const bool persistent = tracked && tracked->persistent;
  const int mine = batch.settle_entry(0, request, *rc == MPI_SUCCESS ? &own : nullptr);
  if (*rc == MPI_SUCCESS && mine != MPI_SUCCESS) *rc = mpi::raise_of_wait(comm, mine, persistent);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return true;
}

bool wait_for_all_in_mpi(Engine& engine, Batch& batch, MPI_Request* requests, MPI_Status* statuses,
                         const Caller& caller, int* rc) {
  if (!enter(engine, batch)) return false;
  std::vector<MPI_Status> own(batch.size());
  if (statuses != MPI_STATUSES_IGNORE) std::copy_n(statuses, own.size(), own.begin());
  // MPICH leaves the status of a receive from MPI_PROC_NULL as it was.
  for (MPI_Status& status : own) set_envelope(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
  const std::uint64_t begun = now_ns();
  *rc = mpi::Unheard::result(mpi::wait_all(static_cast<int>(batch.size()), batch.data(), own.data()));
  const std::uint64_t waited = now_ns() - begun;
  const bool in_status = error_class_of(*rc) == MPI_ERR_IN_STATUS;
  {
    std::lock_guard lock(engine.mutex());
    std::size_t total = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (const Tracked* tracked = batch.tracked(i)) total += tracked->destination.capacity;
    }
    Site& site = engine.sites().at(caller.address, caller.name);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      Tracked* tracked = batch.tracked(i);
      if (!tracked) continue;
      const bool failed = *rc != MPI_SUCCESS && (!in_status || own[i].MPI_ERROR != MPI_SUCCESS);
      leave(engine, *tracked, own[i], failed, site, begun, waited, total);
    }
  }
  if (*rc != MPI_SUCCESS && !in_status) return true;
  drive_to_return(engine, batch);
  std::lock_guard lock(engine.mutex());
  *rc = batch.settle_all(requests, own, *rc, statuses);
  return true;
}

bool wait_for_any_in_mpi(Engine& engine, Batch& batch, MPI_Request* requests, int* index, MPI_Status* status,
                         const Caller& caller, int* rc) {
  if (!enter(engine, batch)) return false;
  MPI_Status own{};
  if (status != MPI_STATUS_IGNORE) own = *status;
  const std::uint64_t begun = now_ns();
  *index = MPI_UNDEFINED;
  *rc = PMPI_Waitany(static_cast<int>(batch.size()), batch.data(), index, &own);
  const std::uint64_t waited = now_ns() - begun;
  const bool one = *index != MPI_UNDEFINED;
  {
    std::lock_guard lock(engine.mutex());
    if (Tracked* tracked = one ? batch.tracked(static_cast<std::size_t>(*index)) : nullptr) {
      Site& site = engine.sites().at(caller.address, caller.name);
      leave(engine, *tracked, own, *rc != MPI_SUCCESS, site, begun, waited, tracked->destination.capacity);
    }
    leave_others(batch);
  }
  drive_to_return(engine, batch);
  if (one) {
    std::lock_guard lock(engine.mutex());
    const Tracked* tracked = batch.tracked(static_cast<std::size_t>(*index));
    const MPI_Comm comm = tracked ? tracked->info->teller() : MPI_COMM_NULL;
    const int mine = batch.settle_entry(*index, requests, *rc == MPI_SUCCESS ? &own : nullptr);
    if (*rc == MPI_SUCCESS && mine != MPI_SUCCESS) *rc = mpi::raise_of_any(comm, mine);
  }
  if (status != MPI_STATUS_IGNORE) *status = own;
  return true;
}

bool wait_for_some_in_mpi(Engine& engine, Batch& batch, MPI_Request* requests, int* done, int* indices,
                          MPI_Status* statuses, const Caller& caller, int* rc) {
  if (!enter(engine, batch)) return false;
  std::vector<MPI_Status> own(batch.size());
  const std::uint64_t begun = now_ns();
  *rc = PMPI_Waitsome(static_cast<int>(batch.size()), batch.data(), done, indices, own.data());
  const std::uint64_t waited = now_ns() - begun;
  const bool in_status = error_class_of(*rc) == MPI_ERR_IN_STATUS;
  const bool any = (*rc == MPI_SUCCESS || in_status) && *done != MPI_UNDEFINED && *done > 0;
  const std::size_t completed = any ? static_cast<std::size_t>(*done) : 0;
  {
    std::lock_guard lock(engine.mutex());
    std::size_t total = 0;
    for (std::size_t k = 0; k < completed; ++k) {
      const Tracked* tracked = batch.tracked(static_cast<std::size_t>(indices[k]));
      if (tracked) total += tracked->destination.capacity;
    }
    Site& site = engine.sites().at(caller.address, caller.name);
    for (std::size_t k = 0; k < completed; ++k) {
      Tracked* tracked = batch.tracked(static_cast<std::size_t>(indices[k]));
      if (!tracked) continue;
      const bool failed = in_status && own[k].MPI_ERROR != MPI_SUCCESS;
      leave(engine, *tracked, own[k], failed, site, begun, waited, total);
    }
    leave_others(batch);
  }
  drive_to_return(engine, batch);
  std::lock_guard lock(engine.mutex());
  *rc = batch.settle_some(requests, static_cast<int>(completed), indices, own, *rc, statuses);
  return true;
}

}  // namespace lapwing::transfer
