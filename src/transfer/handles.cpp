// SPDX-License-Identifier: Apache-2.0
// Cancelling, freeing and looking at requests behind which a transfer stands.
#include <algorithm>
#include <utility>

#include "mpi/looks.hpp"
#include "transfer/early.hpp"
#include "transfer/operations.hpp"
#include "transfer/retire.hpp"

namespace lapwing::transfer {

int cancel(MPI_Request* request) {
  Engine* engine = Engine::get();
  if (!engine || !Requests::any()) return PMPI_Cancel(request);
  clear_way(request);
  std::lock_guard lock(engine->mutex());
  Tracked* tracked = engine->requests().find(*request);
  if (!tracked) return PMPI_Cancel(request);
  // A send whose strips are on their way completes; a receive whose header has
  // arrived is matched. Both are what MPI calls a cancel that failed.
  if (!tracked->receives()) return MPI_SUCCESS;
  if (tracked->substitute != MPI_REQUEST_NULL) return MPI_SUCCESS;
  engine->look_for_header(*tracked, *request);
  return tracked->incoming ? MPI_SUCCESS : PMPI_Cancel(request);
}

int request_free(MPI_Request* request) {
  Engine* engine = Engine::get();
  if (!engine || !request || (!Requests::any() && !Requests::any_kept())) return PMPI_Request_free(request);
  clear_way(request);
  std::lock_guard lock(engine->mutex());
  engine->requests().forget(*request);
  Tracked* tracked = engine->requests().find(*request);
  if (!tracked) return PMPI_Request_free(request);
  if (!tracked->receives()) {
    // The header's buffer must stay until it has left: the transfer keeps both.
    const std::shared_ptr<Outgoing> transfer = tracked->outgoing;
    transfer->keep_header(*request);
    engine->requests().remove(*request);
    *request = MPI_REQUEST_NULL;
    const auto& flying = engine->outgoing();
    if (std::find(flying.begin(), flying.end(), transfer) == flying.end()) engine->adopt_outgoing(transfer);
    return MPI_SUCCESS;
  }
  if (tracked->awaits_header() || tracked->state() == Tracked::State::stripped) {
    // Still to be matched: somebody must notice a header. The engine keeps it.
    tracked->abandoned = true;
    engine->note_abandoned();
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
  }
  if (tracked->substitute != MPI_REQUEST_NULL) PMPI_Request_free(&tracked->substitute);
  engine->requests().remove(*request);
  return PMPI_Request_free(request);
}

int request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  Engine* engine = Engine::get();
  if (!engine || !Requests::any()) return PMPI_Request_get_status(request, flag, status);
  clear_way(flag, status);
  std::lock_guard lock(engine->mutex());
  Tracked* tracked = request == MPI_REQUEST_NULL ? nullptr : engine->requests().find(request);
  if (!tracked || !tracked->receives() || tracked->state() == Tracked::State::idle) {
    return PMPI_Request_get_status(request, flag, status);
  }
  engine->progress();
  *flag = 0;
  if (tracked->awaits_header()) engine->look_for_header(*tracked, request);
  if (tracked->error != MPI_SUCCESS) {
    *flag = 1;  // told once, as MPI does where a look ends the request
    return mpi::raise_of_look(tracked->info->teller(), std::exchange(tracked->error, MPI_SUCCESS));
  }
  if (tracked->state() == Tracked::State::plain) {
    const bool elsewhere = tracked->substitute != MPI_REQUEST_NULL;
    return PMPI_Request_get_status(elsewhere ? tracked->substitute : request, flag, status);
  }
  if (!tracked->may_return()) return MPI_SUCCESS;
  *flag = 1;
  if (status != MPI_STATUS_IGNORE) {
    set_envelope(status, tracked->envelope.MPI_SOURCE, tracked->envelope.MPI_TAG, tracked->incoming->total());
  }
  return mpi::raise_of_look(tracked->info->teller(), tracked->incoming->result());
}

void retire_overlapping_sends(const void* address, std::size_t length) {
  Engine* engine = Engine::get();
  if (!engine) return;
  const char* from = static_cast<const char*>(address);
  engine->drive([&] {
    for (const auto& transfer : engine->outgoing()) {
      if (transfer->reads(from, from + length)) return false;
    }
    return true;
  });
}

}  // namespace lapwing::transfer
