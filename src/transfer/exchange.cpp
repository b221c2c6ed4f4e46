// SPDX-License-Identifier: Apache-2.0
// MPI_Sendrecv and MPI_Sendrecv_replace: a receive and a send that end together.
#include <memory>

#include "mpi/looks.hpp"
#include "transfer/arrived.hpp"
#include "transfer/early.hpp"
#include "transfer/nobody.hpp"
#include "transfer/operations.hpp"
#include "transfer/packing.hpp"
#include "transfer/posting.hpp"
#include "transfer/retire.hpp"

namespace lapwing::transfer {
namespace {

// Where no message is stripped the call is the program's own, and MPI lets both halves
// travel at once. False where the engine has to carry it out.
bool exchange_in_mpi(Engine& engine, const SendArguments& s, const ReceiveArguments& r, MPI_Status* status,
                     PlainStatus plain, int* rc) {
  if (r.comm == MPI_COMM_NULL || r.rank == MPI_PROC_NULL || Comms::early_total != 0) return false;
  const Span in = buffer_span(r.buffer, r.count, r.type), out = buffer_span(s.buffer, s.count, s.type);
  retire_for_write(in.begin, in.length);
  retire_for_read(out.begin, out.length);
  Destination destination{r.buffer, r.count, r.type, payload_bytes(r.count, r.type)};
  destination.hints = hints_of_this_thread();
  const std::uint64_t begun = now_ns();
  {
    std::lock_guard lock(engine.mutex());
    if (!engine.at_rest() || engine.requests().posted().meets(in)) return false;
  }
  MPI_Status own{};
  if (status != MPI_STATUS_IGNORE) own = *status;
  *rc = plain(&own);
  if (status != MPI_STATUS_IGNORE) *status = own;
  if (*rc != MPI_SUCCESS) {
    note_receive_error(*rc);
    return true;
  }
  const std::uint64_t waited = now_ns() - begun;
  std::unique_lock lock(engine.mutex());
  CommInfo& info = engine.comms().of(r.comm);
  Site& site = engine.sites().at(r.caller.address, r.caller.name);
  if (auto transfer = started_by_header(engine, destination, info, own, &site)) {
    lock.unlock();
    engine.drive([&] { return transfer->may_return(); });
    if (status != MPI_STATUS_IGNORE) set_envelope(status, own.MPI_SOURCE, own.MPI_TAG, transfer->total());
    *rc = mpi::raise(r.comm, transfer->result());
  } else {
    note_plain_receive(engine, destination, info, own, {site, site, begun, waited, begun});
    lock.unlock();
  }
  engine.note_call(r.caller, payload_bytes(s.count, s.type), waited);
  return true;
}

}  // namespace

void arrive(Engine& engine, const SendArguments& s, const ReceiveArguments& r) {
  if (r.comm == MPI_COMM_NULL) return;
  const std::size_t out = payload_bytes(s.count, s.type), in = payload_bytes(r.count, r.type);
  std::lock_guard lock(engine.mutex());
  CommInfo& info = engine.comms().of(r.comm);
  if (!info.eligible) return;
  Site& site = engine.sites().at(r.caller.address, r.caller.name);
  if (in > header_bytes && r.rank != MPI_PROC_NULL) engine.governor().arrive(site, r.rank, in, false);
  if (out > header_bytes && s.rank >= 0 && s.rank < info.size())
    engine.governor().arrive(site, info.world_rank(s.rank), out, true);
}

int send_receive(const SendArguments& sent, const ReceiveArguments& received, MPI_Status* status,
                 PlainStatus plain) {
  Engine* engine = Engine::get();
  if (!engine) return plain(status);
  clear_way(status);
  arrive(*engine, sent, received);
  int plainly = MPI_SUCCESS;
  if (exchange_in_mpi(*engine, sent, received, status, plain, &plainly)) return plainly;
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
  rc = mpi::raising_in(r.comm, mpi::raising.several, [&] {
    const int all = wait_all(2, both, statuses, r.caller, payload_bytes(s.count, s.type));
    int error_class = MPI_SUCCESS;
    PMPI_Error_class(all, &error_class);
    if (error_class != MPI_ERR_IN_STATUS) return all;
    return statuses[0].MPI_ERROR != MPI_SUCCESS ? statuses[0].MPI_ERROR : statuses[1].MPI_ERROR;
  });
  if (status != MPI_STATUS_IGNORE) {
    *status = statuses[0];
    status->MPI_ERROR = kept;
    // From MPI_PROC_NULL: the status of MPI_Sendrecv itself, which not every MPI_Irecv gives.
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
