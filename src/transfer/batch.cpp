// SPDX-License-Identifier: Apache-2.0
#include "transfer/batch.hpp"

#include "mpi/looks.hpp"
#include "transfer/early.hpp"

namespace lapwing::transfer {
namespace {

bool ready(Engine& engine, Tracked& tracked, MPI_Request request);

// The sending half of an exchange has ended: its request too.
bool partner_ready(Engine& engine, Tracked& tracked) {
  if (tracked.partner == MPI_REQUEST_NULL) return true;
  const MPI_Request sending = tracked.partner;
  if (Tracked* half = engine.requests().find(sending)) {
    if (!ready(engine, *half, sending)) return false;
    // A copy must stay until nothing reads it; a guard is no use for it.
    if (tracked.partner_copy && !half->outgoing->buffer_free()) return false;
  }
  int sent = 0;
  PMPI_Test(&tracked.partner, &sent, MPI_STATUS_IGNORE);
  if (sent) engine.requests().remove(sending);
  return sent != 0;
}

// Under the lock. True once MPI may complete the request for the program.
bool ready(Engine& engine, Tracked& tracked, MPI_Request request) {
  if (tracked.state() == Tracked::State::idle) return true;
  if (!partner_ready(engine, tracked)) return false;
  if (tracked.receives()) {
    if (tracked.awaits_header()) engine.look_for_header(tracked, request);
    return tracked.may_return();
  }
  Outgoing& transfer = *tracked.outgoing;
  if (tracked.state() == Tracked::State::announced) {
    int left = 0;
    mpi::look(request, &left, MPI_STATUS_IGNORE);
    if (!left) return false;
    tracked.header_left();
    transfer.note_header_left();
  }
  if (transfer.buffer_free()) return true;
  if (tracked.state() == Tracked::State::left) tracked.tried_to_guard(engine.guard_outgoing(transfer));
  return tracked.state() == Tracked::State::guarded;
}

// MPI has completed `key`'s request with `status`: makes it the message's.
int settle(Engine& engine, std::uint64_t key, MPI_Status* status) {
  Tracked* tracked = engine.requests().find(request_of(key));
  if (!tracked) return MPI_SUCCESS;
  int rc = tracked->error;
  if (tracked->state() == Tracked::State::stripped) {
    rc = tracked->incoming->result();
    if (status) {
      set_envelope(status, tracked->envelope.MPI_SOURCE, tracked->envelope.MPI_TAG,
                   tracked->incoming->total());
    }
  }
  // A message that came by a substitute went straight to the program's buffer.
  if (tracked->state() == Tracked::State::plain && tracked->bounce && status && !tracked->taken_early &&
      rc == MPI_SUCCESS) {
    MPI_Count bytes = 0;
    int cancelled = 0;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    PMPI_Test_cancelled(status, &cancelled);
    if (!cancelled && bytes > 0) {
      rc = engine.receive_from_self(tracked->bounce.get(), static_cast<std::size_t>(bytes),
                                    tracked->destination);
    }
  }
  if (tracked->persistent) {
    tracked->rest();
  } else {
    engine.requests().remove(request_of(key));
  }
  return rc;
}

}  // namespace

Batch::Batch(Engine& engine, int count, const MPI_Request* requests)
    : engine_(engine), masked_(requests, requests + std::max(count, 0)) {
  keys_.reserve(masked_.size());
  for (MPI_Request& request : masked_) keys_.push_back(Requests::key(request));
}

Tracked* Batch::tracked(std::size_t i) {
  const MPI_Request request = request_of(keys_[i]);
  return request == MPI_REQUEST_NULL ? nullptr : engine_.requests().find(request);
}

int Batch::mask() {
  int waiting = 0;
  for (std::size_t i = 0; i < masked_.size(); ++i) {
    const MPI_Request request = request_of(keys_[i]);
    Tracked* found = tracked(i);
    if (found && !ready(engine_, *found, request)) {
      masked_[i] = MPI_REQUEST_NULL;
      ++waiting;
    } else {
      masked_[i] = found && found->substitute != MPI_REQUEST_NULL ? found->substitute : request;
    }
  }
  return waiting;
}

int Batch::settle_entry(int i, MPI_Request* requests, MPI_Status* status) {
  // A persistent request stays the program's, whatever completed in its place.
  const Tracked* found = engine_.requests().find(request_of(key(i)));
  if (!found || found->substitute == MPI_REQUEST_NULL) requests[i] = masked_[static_cast<std::size_t>(i)];
  return settle(engine_, key(i), status);
}

void Batch::settle_with_status(int i, MPI_Request* requests, bool failed, MPI_Status* status,
                               std::vector<MPI_Status>& own, bool* told, int* rc) {
  const Tracked* const found = engine_.requests().find(request_of(key(i)));
  const MPI_Comm comm = found ? found->info->teller() : MPI_COMM_NULL;
  const int mine = settle_entry(i, requests, failed ? nullptr : status);
  if (mine == MPI_SUCCESS) return;
  if (!*told) {
    *told = true;
    for (MPI_Status& other : own) other.MPI_ERROR = MPI_SUCCESS;
    *rc = mpi::raise_in_status(comm, mine);
  }
  status->MPI_ERROR = mine;
}

int Batch::settle_some(MPI_Request* requests, int done, const int* indices, std::vector<MPI_Status>& own,
                       int rc, MPI_Status* statuses) {
  const bool in_status = rc != MPI_SUCCESS;  // it says that statuses hold errors
  bool told = in_status;
  for (int k = 0; k < done; ++k) {
    MPI_Status& status = own[static_cast<std::size_t>(k)];
    const bool failed = in_status && status.MPI_ERROR != MPI_SUCCESS;
    settle_with_status(indices[k], requests, failed, &status, own, &told, &rc);
  }
  if (statuses != MPI_STATUSES_IGNORE) std::copy_n(own.begin(), done, statuses);
  return rc;
}

int Batch::settle_all(MPI_Request* requests, std::vector<MPI_Status>& own, int rc, MPI_Status* statuses) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(rc, &error_class);
  const bool in_status = error_class == MPI_ERR_IN_STATUS;
  bool told = in_status || rc != MPI_SUCCESS;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const bool failed = in_status && own[i].MPI_ERROR != MPI_SUCCESS;
    settle_with_status(static_cast<int>(i), requests, failed, &own[i], own, &told, &rc);
  }
  if (statuses != MPI_STATUSES_IGNORE) std::copy(own.begin(), own.end(), statuses);
  return rc;
}

}  // namespace lapwing::transfer
