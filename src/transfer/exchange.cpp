// SPDX-License-Identifier: Apache-2.0
// MPI_Sendrecv and MPI_Sendrecv_replace: a receive and a send that end together.
#include <memory>

#include "flavour.hpp"
#include "transfer/early.hpp"
#include "transfer/nobody.hpp"
#include "transfer/operations.hpp"
#include "transfer/packing.hpp"
#include "transfer/posting.hpp"
#include "transfer/retire.hpp"

namespace lapwing::transfer {

int send_receive(const SendArguments& sent, const ReceiveArguments& received, MPI_Status* status,
                 PlainStatus plain) {
  Engine* engine = Engine::get();
  if (!engine) return plain(status);
  clear_way(status);
  SendArguments s = sent;
  ReceiveArguments r = received;
  s.half = r.half = true;
  // The receive is posted first, as MPI would; both may then take the strips.
  MPI_Request receiving = MPI_REQUEST_NULL;
  int rc = ireceive(r, &receiving, [&](MPI_Request* request) { return post(r, request); });
  if (rc != MPI_SUCCESS) return rc;
  MPI_Request sending = MPI_REQUEST_NULL;
  rc = isend(s, &sending, [&](MPI_Request* request) { return post(s, request); });
  if (rc != MPI_SUCCESS) return rc;
  MPI_Status statuses[2] = {};
  MPI_Request both[2] = {receiving, sending};
  if (status != MPI_STATUS_IGNORE) statuses[0] = *status;
  const int kept = statuses[0].MPI_ERROR;
  rc = wait_all(2, both, statuses, r.caller, payload_bytes(s.count, s.type));
  if (rc != MPI_SUCCESS) {
    int error_class = MPI_SUCCESS;
    PMPI_Error_class(rc, &error_class);
    if (error_class == MPI_ERR_IN_STATUS)
      rc = statuses[0].MPI_ERROR != MPI_SUCCESS ? statuses[0].MPI_ERROR : statuses[1].MPI_ERROR;
  }
  if (status != MPI_STATUS_IGNORE) {
    *status = statuses[0];
    status->MPI_ERROR = kept;
    // Nobody: what MPI_Sendrecv itself would say, and not every MPI_Irecv does.
    if (r.rank == MPI_PROC_NULL) {
      set_envelope(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    }
  }
  if (r.rank == MPI_PROC_NULL && rc == MPI_SUCCESS) mark_exchange_with_nobody(r.comm);
  return rc;
}

int send_receive_replace(const SendArguments& s, const ReceiveArguments& r, MPI_Status* status,
                         PlainStatus plain) {
  Engine* engine = Engine::get();
  const std::size_t bytes = payload_bytes(s.count, s.type);
  if (!engine) return plain(status);
  clear_way(status);
  const Span span = buffer_span(r.buffer, r.count, r.type);
  retire_for_write(span.begin, span.length);
  // MPI keeps such a copy, too: one buffer cannot be sent and received into.
  std::unique_ptr<char[]> copy;
  SendArguments packed = s;
  copy_for_exchange(*engine, &packed, &copy);
  const int rc = send_receive(packed, r, status, plain);
  if (mpi::replace_clears_error && rc == MPI_SUCCESS && status != MPI_STATUS_IGNORE) {
    status->MPI_ERROR = MPI_SUCCESS;
  }
  // The copy must outlive its strips.
  retire_overlapping_sends(copy.get(), bytes);
  return rc;
}

}  // namespace lapwing::transfer
