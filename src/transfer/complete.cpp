// SPDX-License-Identifier: Apache-2.0
// Waits and tests: true once matched, whatever has still to land (rule 1).
#include <algorithm>
#include <vector>

#include "mpi/looks.hpp"
#include "transfer/batch.hpp"
#include "transfer/early.hpp"
#include "transfer/operations.hpp"
#include "transfer/planted.hpp"
#include "transfer/retire.hpp"
#include "transfer/wait_in_mpi.hpp"

namespace lapwing::transfer {
namespace {

bool any_tracked(Engine& engine, int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    if (requests[i] != MPI_REQUEST_NULL && engine.requests().find(requests[i])) return true;
  }
  return false;
}

// True where the call is MPI's alone. The contents of the arrays must have landed.
bool plain_call(Engine* engine, int count, MPI_Request* requests, MPI_Status* statuses) {
  if (!engine || count < 0 || (count > 0 && !requests)) return true;
  clear_way();
  retire_for_write(requests, sizeof(MPI_Request) * static_cast<std::size_t>(count));
  if (statuses != MPI_STATUSES_IGNORE && statuses != MPI_STATUS_IGNORE) {
    retire_for_write(statuses, sizeof(MPI_Status) * static_cast<std::size_t>(count));
  }
  if (!Requests::any()) return true;
  std::lock_guard lock(engine->mutex());
  return !any_tracked(*engine, count, requests);
}

// One attempt at MPI_Testall over tracked requests. Under the lock.
int attempt_all(Engine& engine, Batch& batch, int count, MPI_Request* requests, int* flag,
                MPI_Status* statuses) {
  *flag = 0;
  if (batch.mask() != 0) return MPI_SUCCESS;
  std::vector<MPI_Status> own(static_cast<std::size_t>(count));
  if (statuses != MPI_STATUSES_IGNORE) std::copy_n(statuses, count, own.begin());
  // MPICH leaves these unset for a receive from MPI_PROC_NULL.
  for (MPI_Status& status : own) set_envelope(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
  int rc = mpi::Unheard::result(PMPI_Testall(count, batch.data(), flag, own.data()));
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(rc, &error_class);
  const bool in_status = error_class == MPI_ERR_IN_STATUS;
  if (rc != MPI_SUCCESS && !in_status) return rc;
  if (!*flag && !in_status) return rc;
  *flag = 1;
  return batch.settle_all(requests, own, rc, statuses);
}

// As attempt_all, for MPI_Wait and MPI_Test, and for the others where `any`: Open
// MPI's MPI_Testany does not tell of a persistent receive that failed.
int attempt_any(Engine& engine, Batch& batch, int count, MPI_Request* requests, int* index, int* flag,
                MPI_Status* status, bool any = true) {
  const int waiting = batch.mask();
  MPI_Status own{};
  if (status != MPI_STATUS_IGNORE) own = *status;
  int rc = MPI_SUCCESS;
  if (any) {
    rc = PMPI_Testany(count, batch.data(), index, flag, &own);
  } else if (*flag = 0; waiting == 0) {
    const bool null = batch.data()[0] == MPI_REQUEST_NULL;
    rc = PMPI_Test(batch.data(), flag, &own);
    *index = *flag && !null ? 0 : MPI_UNDEFINED;
  }
  if (*flag && *index == MPI_UNDEFINED && waiting > 0) *flag = 0;  // all that is left is not ready
  if (!*flag) {
    *index = MPI_UNDEFINED;
    return rc;
  }
  if (*index != MPI_UNDEFINED) {
    Tracked* tracked = engine.requests().find(request_of(batch.key(*index)));
    const MPI_Comm comm = tracked ? tracked->info->teller() : MPI_COMM_NULL;
    const bool persistent = tracked && tracked->persistent;
    const int mine = batch.settle_entry(*index, requests, rc == MPI_SUCCESS ? &own : nullptr);
    if (rc == MPI_SUCCESS && mine != MPI_SUCCESS)
      rc = any ? mpi::raise_of_any(comm, mine) : mpi::raise_of_wait(comm, mine, persistent);
  }
  if (status != MPI_STATUS_IGNORE) *status = own;
  return rc;
}

int attempt_some(Engine& engine, Batch& batch, int count, MPI_Request* requests, int* done, int* indices,
                 MPI_Status* statuses) {
  const int waiting = batch.mask();
  std::vector<MPI_Status> own(static_cast<std::size_t>(std::max(count, 1)));
  int rc = PMPI_Testsome(count, batch.data(), done, indices, own.data());
  if (*done == MPI_UNDEFINED) {
    if (waiting > 0) *done = 0;
    return rc;
  }
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(rc, &error_class);
  const bool in_status = error_class == MPI_ERR_IN_STATUS;
  if (rc != MPI_SUCCESS && !in_status) return rc;
  return batch.settle_some(requests, *done, indices, own, rc, statuses);
}

// MPI_Waitall, by what MPI_Testsome finds until nothing is left.
int drive_by_some(Engine& engine, int count, MPI_Request* requests, MPI_Status* statuses) {
  const auto size = static_cast<std::size_t>(count);
  std::vector<MPI_Request> left(requests, requests + size);
  std::vector<MPI_Status> some(size), all(size);
  std::vector<int> indices(size), errors(size, MPI_SUCCESS);
  for (MPI_Status& status : all) set_envelope(&status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
  int rc = MPI_SUCCESS;
  for (;;) {
    Batch batch(engine, count, left.data());
    int done = 0, now = MPI_SUCCESS, error_class = MPI_SUCCESS;
    engine.drive([&] {
      if (done == 0)
        now = attempt_some(engine, batch, count, left.data(), &done, indices.data(), some.data());
      return done != 0 || now != MPI_SUCCESS;
    });
    PMPI_Error_class(now, &error_class);
    if (now != MPI_SUCCESS && error_class != MPI_ERR_IN_STATUS) return now;
    if (done == MPI_UNDEFINED) break;
    if (now != MPI_SUCCESS) rc = now;
    for (int k = 0; k < done; ++k) {
      const auto i = static_cast<std::size_t>(indices[static_cast<std::size_t>(k)]);
      all[i] = some[static_cast<std::size_t>(k)];
      if (now != MPI_SUCCESS) errors[i] = all[i].MPI_ERROR;
      requests[i] = left[i];
      left[i] = MPI_REQUEST_NULL;  // MPI takes a persistent collective that has ended for one under way
    }
  }
  for (std::size_t i = 0; statuses != MPI_STATUSES_IGNORE && i < size; ++i) {
    all[i].MPI_ERROR = rc == MPI_SUCCESS ? statuses[i].MPI_ERROR : errors[i];
    statuses[i] = all[i];
  }
  return rc;
}

int drive_all(Engine& engine, Batch& batch, int count, MPI_Request* requests, MPI_Status* statuses) {
  if (mpi::tests_all_by_some) return drive_by_some(engine, count, requests, statuses);
  int rc = MPI_SUCCESS, flag = 0;
  engine.drive([&] {
    if (!flag) rc = attempt_all(engine, batch, count, requests, &flag, statuses);
    return flag || rc != MPI_SUCCESS;
  });
  return rc;
}

void note_wait(Engine& engine, const Caller& caller, std::size_t bytes, std::uint64_t nanoseconds) {
  engine.read_due_letters(Engine::letters_due() >= Engine::overdue ? Engine::shortest_wait : nanoseconds);
  engine.note_call(caller, bytes, nanoseconds);
}

}  // namespace

void note_receive_error(int rc) {
  Engine* engine = Engine::get();
  if (rc == MPI_SUCCESS) return;
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(rc, &error_class);
  if (!engine || planted::is(planted::truncation_ignored)) return;
  if (error_class != MPI_ERR_TRUNCATE && error_class != MPI_ERR_IN_STATUS) return;
  std::lock_guard lock(engine->mutex());
  engine->note_truncated();
}

int wait(MPI_Request* request, MPI_Status* status, Caller caller) {
  Engine* engine = Engine::get();
  const std::uint64_t begun = engine ? now_ns() : 0;
  int rc = MPI_SUCCESS;
  if (request && DeferredAccesses::wait(1, request, status, &rc)) {
    // Those of one-sided accesses may leave bytes on their way.
  } else if (plain_call(engine, request ? 1 : -1, request, status)) {
    rc = PMPI_Wait(request, status);
  } else {
    int index = 0, flag = 0;
    Batch batch(*engine, 1, request);
    if (!wait_in_mpi(*engine, batch, request, status, caller, &rc))
      engine->drive([&] {
        if (!flag) rc = attempt_any(*engine, batch, 1, request, &index, &flag, status, false);
        return flag || rc != MPI_SUCCESS;
      });
  }
  note_receive_error(rc);
  if (engine) note_wait(*engine, caller, 0, now_ns() - begun);
  return rc;
}

int wait_all(int count, MPI_Request* requests, MPI_Status* statuses, Caller caller, std::size_t bytes) {
  Engine* engine = Engine::get();
  const std::uint64_t begun = engine ? now_ns() : 0;
  int rc = MPI_SUCCESS;
  if (requests && DeferredAccesses::wait(count, requests, statuses, &rc)) {
    // Likewise.
  } else if (plain_call(engine, count, requests, statuses)) {
    rc = mpi::Unheard::result(mpi::wait_all(count, requests, statuses));
  } else {
    Batch batch(*engine, count, requests);
    if (!wait_for_all_in_mpi(*engine, batch, requests, statuses, caller, &rc))
      rc = drive_all(*engine, batch, count, requests, statuses);
  }
  note_receive_error(rc);
  if (engine) note_wait(*engine, caller, bytes, now_ns() - begun);
  return rc;
}

int wait_all_here(int count, MPI_Request* requests, MPI_Status* statuses) {
  Engine* engine = Engine::get();
  if (plain_call(engine, count, requests, statuses))
    return mpi::Unheard::result(mpi::wait_all(count, requests, statuses));
  Batch batch(*engine, count, requests);
  return drive_all(*engine, batch, count, requests, statuses);
}

int wait_any(int count, MPI_Request* requests, int* index, MPI_Status* status, Caller caller) {
  Engine* engine = Engine::get();
  const std::uint64_t begun = engine ? now_ns() : 0;
  int rc = MPI_SUCCESS;
  clear_way(index, status);
  if (plain_call(engine, count, requests, MPI_STATUSES_IGNORE)) {
    rc = PMPI_Waitany(count, requests, index, status);
  } else {
    int flag = 0;
    Batch batch(*engine, count, requests);
    if (!wait_for_any_in_mpi(*engine, batch, requests, index, status, caller, &rc))
      engine->drive([&] {
        if (!flag) rc = attempt_any(*engine, batch, count, requests, index, &flag, status);
        return flag || rc != MPI_SUCCESS;
      });
  }
  note_receive_error(rc);
  if (engine) note_wait(*engine, caller, 0, now_ns() - begun);
  return rc;
}

int wait_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses,
              Caller caller) {
  Engine* engine = Engine::get();
  const std::uint64_t begun = engine ? now_ns() : 0;
  int rc = MPI_SUCCESS;
  clear_way(done);
  if (count > 0) retire_for_write(indices, sizeof(int) * static_cast<std::size_t>(count));
  if (plain_call(engine, count, requests, statuses)) {
    rc = PMPI_Waitsome(count, requests, done, indices, statuses);
  } else {
    *done = 0;
    Batch batch(*engine, count, requests);
    if (!wait_for_some_in_mpi(*engine, batch, requests, done, indices, statuses, caller, &rc))
      engine->drive([&] {
        if (*done == 0) rc = attempt_some(*engine, batch, count, requests, done, indices, statuses);
        return *done != 0 || rc != MPI_SUCCESS;
      });
  }
  note_receive_error(rc);
  if (engine) note_wait(*engine, caller, 0, now_ns() - begun);
  return rc;
}

int test(MPI_Request* request, int* flag, MPI_Status* status) {
  Engine* engine = Engine::get();
  clear_way(flag);
  if (plain_call(engine, request ? 1 : -1, request, status)) return PMPI_Test(request, flag, status);
  int index = 0;
  std::lock_guard lock(engine->mutex());
  engine->progress();
  Batch batch(*engine, 1, request);
  return attempt_any(*engine, batch, 1, request, &index, flag, status, false);
}

int test_all(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) {
  Engine* engine = Engine::get();
  clear_way(flag);
  if (plain_call(engine, count, requests, statuses)) return PMPI_Testall(count, requests, flag, statuses);
  std::lock_guard lock(engine->mutex());
  engine->progress();
  Batch batch(*engine, count, requests);
  const int rc = attempt_all(*engine, batch, count, requests, flag, statuses);
  return rc;
}

int test_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  Engine* engine = Engine::get();
  clear_way(index, flag, status);
  if (plain_call(engine, count, requests, MPI_STATUSES_IGNORE))
    return PMPI_Testany(count, requests, index, flag, status);
  std::lock_guard lock(engine->mutex());
  engine->progress();
  Batch batch(*engine, count, requests);
  return attempt_any(*engine, batch, count, requests, index, flag, status);
}

int test_some(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  Engine* engine = Engine::get();
  clear_way(done);
  if (count > 0) retire_for_write(indices, sizeof(int) * static_cast<std::size_t>(count));
  if (plain_call(engine, count, requests, statuses))
    return PMPI_Testsome(count, requests, done, indices, statuses);
  std::lock_guard lock(engine->mutex());
  engine->progress();
  Batch batch(*engine, count, requests);
  return attempt_some(*engine, batch, count, requests, done, indices, statuses);
}

}  // namespace lapwing::transfer
