// SPDX-License-Identifier: Apache-2.0
// Receives: posted as the program wrote them; what turns out to be stripped
// lands while the program goes on.
#include <algorithm>
#include <climits>

#include "mpi/looks.hpp"
#include "transfer/arrived.hpp"
#include "transfer/early.hpp"
#include "transfer/operations.hpp"
#include "transfer/packing.hpp"
#include "transfer/planted.hpp"
#include "transfer/posting.hpp"
#include "transfer/retire.hpp"

namespace lapwing::transfer {
namespace {

Destination destination_of(const ReceiveArguments& a) {
  return {a.buffer, a.count, a.type, payload_bytes(a.count, a.type),
          a.proved, false,   false,  hints_of_this_thread()};
}

// The bytes that a receive may close, so none if the buffer is not one run: two vectors
// may well share memory and not an element.
Span run_of(const Destination& d) {
  const char* base = contiguous_base(d.buffer, d.count, d.type);
  return {base, base ? d.capacity : 0};
}

// For a message that is there already. Under the lock.
Destination destination_now(Engine& engine, const ReceiveArguments& a) {
  Destination destination = destination_of(a);
  destination.shared = destination.apart = engine.requests().posted().meets(run_of(destination));
  return destination;
}

bool meets_posted(Engine& engine, const Destination& destination) {
  if (!Requests::any()) return false;
  std::lock_guard lock(engine.mutex());
  return engine.requests().posted().meets(run_of(destination));
}

void copy_status(const MPI_Status& from, MPI_Status* to) {
  if (to != MPI_STATUS_IGNORE) *to = from;
}

// The call that matched a stripped message ends here: what may not be deferred
// lands first, then the status is what MPI's own would be. The error of the message.
int conclude(Engine& engine, const std::shared_ptr<Incoming>& transfer, int source, int tag,
             MPI_Status* status) {
  // Looked at under the lock only: the last strip lands before it is delivered.
  engine.drive([&] { return transfer->may_return(); });
  if (status != MPI_STATUS_IGNORE) set_envelope(status, source, tag, transfer->total());
  return transfer->result();
}

// Receives an early message if one matches; false if the call is MPI's to do.
bool receive_early(Engine& engine, const ReceiveArguments& a, MPI_Status* status, int* rc) {
  std::unique_lock lock(engine.mutex());
  CommInfo& info = engine.comms().of(a.comm);
  std::optional<EarlyMessage> early = take_early(info, a.rank, a.tag);
  if (!early) return false;
  if (!early->header) {
    lock.unlock();
    *rc = mpi::raising_in(a.comm, mpi::raising.several,
                          [&] { return receive_matched(a, &early->message, status); });
    return true;
  }
  Site& site = engine.sites().at(a.caller.address, a.caller.name);
  auto transfer = engine.start_incoming(*early->header, info.world_rank(early->source),
                                        destination_now(engine, a), &site);
  lock.unlock();
  *rc = mpi::raise(a.comm, conclude(engine, transfer, early->source, early->tag, status));
  return true;
}

}  // namespace

void set_envelope(MPI_Status* status, int source, int tag, std::size_t bytes) {
  status->MPI_SOURCE = planted::is(planted::wrong_source) ? source ^ 1 : source;
  status->MPI_TAG = planted::is(planted::wrong_tag) ? tag + 1 : tag;
  const std::size_t said = planted::is(planted::wrong_total) ? bytes - 8 : bytes;
  PMPI_Status_set_elements_x(status, MPI_BYTE, static_cast<MPI_Count>(said));
  PMPI_Status_set_cancelled(status, 0);
}

int receive(const ReceiveArguments& a, MPI_Status* status, PlainStatus plain) {
  Engine* engine = Engine::get();
  if (!engine || a.comm == MPI_COMM_NULL) return plain(status);
  const std::uint64_t begun = now_ns();
  clear_way(status);
  const Span span = buffer_span(a.buffer, a.count, a.type);
  retire_for_write(span.begin, span.length);
  int rc = MPI_SUCCESS;
  if (Comms::early_total != 0 && receive_early(*engine, a, status, &rc)) return rc;
  const Destination destination = destination_of(a);
  if (destination.capacity >= header_bytes && a.rank != MPI_PROC_NULL &&
      ((!contiguous_base(a.buffer, a.count, a.type) && !header_fits(a.type)) ||
       meets_posted(*engine, destination))) {
    MPI_Request request = MPI_REQUEST_NULL;
    rc = ireceive(a, &request, [&](MPI_Request* r) { return post(a, r); });
    return rc == MPI_SUCCESS
               ? mpi::raising_in(a.comm, mpi::raising.wait, [&] { return wait(&request, status, a.caller); })
               : rc;
  }
  MPI_Status own{};
  if (status != MPI_STATUS_IGNORE) own = *status;  // a receive leaves MPI_ERROR alone
  const std::uint64_t entered = now_ns();
  rc = plain(&own);
  copy_status(own, status);
  if (rc != MPI_SUCCESS) {
    if (destination.capacity < header_bytes) note_receive_error(rc);
    return rc;
  }
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&own, MPI_BYTE, &bytes);
  if (bytes >= static_cast<MPI_Count>(header_bytes)) {
    std::unique_lock lock(engine->mutex());
    CommInfo& info = engine->comms().of(a.comm);
    Site& site = engine->sites().at(a.caller.address, a.caller.name);
    engine->governor().arrive(site, own.MPI_SOURCE, static_cast<std::size_t>(bytes), false);
    if (auto transfer = started_by_header(*engine, destination, info, own, &site)) {
      lock.unlock();
      rc = mpi::raise(a.comm, conclude(*engine, transfer, own.MPI_SOURCE, own.MPI_TAG, status));
      bytes = static_cast<MPI_Count>(transfer->total());
    } else {
      note_plain_receive(*engine, destination, info, own, {site, site, entered, now_ns() - entered, entered});
    }
  } else {
    engine->read_due_letters(now_ns() - entered);
  }
  engine->note_call(a.caller, static_cast<std::size_t>(std::max<MPI_Count>(bytes, 0)), now_ns() - begun);
  return rc;
}

int mreceive(const ReceiveArguments& a, MPI_Message* message, MPI_Status* status, PlainStatus plain) {
  Engine* engine = Engine::get();
  if (!engine) return plain(status);
  clear_way(message, status);
  const Span span = buffer_span(a.buffer, a.count, a.type);
  retire_for_write(span.begin, span.length);
  std::unique_lock lock(engine->mutex());
  const auto found = engine->minted.find(Requests::key(*message));
  if (found == engine->minted.end()) {
    lock.unlock();
    return plain(status);
  }
  Minted held = std::move(found->second);
  engine->minted.erase(found);
  PMPI_Mrecv(nullptr, 0, MPI_BYTE, message, MPI_STATUS_IGNORE);
  Site& site = engine->sites().at(a.caller.address, a.caller.name);
  auto transfer = engine->start_incoming(*held.header, held.info->world_rank(held.source),
                                         destination_now(*engine, a), &site);
  lock.unlock();
  return mpi::raise_of_any(held.info->teller(), conclude(*engine, transfer, held.source, held.tag, status));
}

namespace {

// A request of MPI's, complete at once, behind which this transfer stands.
int track_minted(Engine& engine, MPI_Request request, std::shared_ptr<Incoming> transfer,
                 std::shared_ptr<CommInfo> info, int source, int tag) {
  Tracked& tracked = engine.requests().add(request);
  tracked.info = std::move(info);
  tracked.site = transfer->site();
  tracked.found_header(source, tag, std::move(transfer));
  return MPI_SUCCESS;
}

// Mixed elements of several sizes without being one run are rare; the copy
// that they cost is what MPI's own packing would be.
std::unique_ptr<char[]> bounce_for(const Destination& d, bool met = false) {
  const bool in_place = contiguous_base(d.buffer, d.count, d.type) || header_fits(d.type);
  if ((in_place && !met) || d.capacity > INT_MAX) return nullptr;
  return std::make_unique_for_overwrite<char[]>(d.capacity);
}

Tracked& track(Engine& engine, MPI_Request request, const ReceiveArguments& a,
               const Destination& destination) {
  Tracked& tracked = engine.requests().add(request);
  tracked.destination = destination;
  tracked.info = engine.comms().of(a.comm).keep();
  tracked.site = &engine.sites().at(a.caller.address, a.caller.name);
  tracked.posted_ns = now_ns();
  outlive(&tracked.destination.type, &tracked.kept_type);
  engine.note_posted_receive();
  return tracked;
}

}  // namespace

int ireceive(const ReceiveArguments& a, MPI_Request* request, PlainRequest plain) {
  Engine* engine = Engine::get();
  if (!engine || a.comm == MPI_COMM_NULL) return plain(request);
  clear_way(request);
  if (!a.half) engine->note_call(a.caller, 0, 0);
  const Span span = buffer_span(a.buffer, a.count, a.type);
  retire_for_write(span.begin, span.length);
  const Destination destination = destination_of(a);
  std::unique_lock lock(engine->mutex());
  // The other receive's message may have come, and closed the buffer, only now.
  const bool met = a.apart || engine->requests().posted().meets(run_of(destination));
  while (met && guard::meets_closed(span.begin, span.length)) {
    lock.unlock();
    retire_for_write(span.begin, span.length);
    lock.lock();
  }
  CommInfo& info = engine->comms().of(a.comm);
  if (std::optional<EarlyMessage> early = take_early(info, a.rank, a.tag)) {
    if (!early->header) {
      return post_matched(a, &early->message, request);
    }
    Site& site = engine->sites().at(a.caller.address, a.caller.name);
    auto transfer = engine->start_incoming(*early->header, info.world_rank(early->source),
                                           destination_now(*engine, a), &site);
    *request = engine->mint_request();
    return track_minted(*engine, *request, std::move(transfer), info.keep(), early->source, early->tag);
  }
  // A short message, too, would fall on a header that lies there unread.
  if (!info.eligible || (destination.capacity < header_bytes && !met) || a.rank == MPI_PROC_NULL)
    return plain(request);
  if (!a.half)
    engine->governor().arrive(engine->sites().at(a.caller.address, a.caller.name), a.rank,
                              destination.capacity, false);
  std::unique_ptr<char[]> bounce = bounce_for(destination, met);
  const int rc = bounce ? PMPI_Irecv(bounce.get(), static_cast<int>(destination.capacity), MPI_BYTE, a.rank,
                                     a.tag, a.comm, request)
                        : plain(request);
  if (rc == MPI_SUCCESS) {
    Tracked& tracked = track(*engine, *request, a, destination);
    tracked.bounce = std::move(bounce);
    tracked.destination.apart = met;
    engine->requests().post(tracked, *request, run_of(destination));
  }
  return rc;
}

int imreceive(const ReceiveArguments& a, MPI_Message* message, MPI_Request* request, PlainRequest plain) {
  Engine* engine = Engine::get();
  if (!engine) return plain(request);
  clear_way(message, request);
  engine->note_call(a.caller, 0, 0);
  const Span span = buffer_span(a.buffer, a.count, a.type);
  retire_for_write(span.begin, span.length);
  std::lock_guard lock(engine->mutex());
  const auto found = engine->minted.find(Requests::key(*message));
  if (found == engine->minted.end()) return plain(request);
  Minted held = std::move(found->second);
  engine->minted.erase(found);
  Site& site = engine->sites().at(a.caller.address, a.caller.name);
  auto transfer = engine->start_incoming(*held.header, held.info->world_rank(held.source),
                                         destination_now(*engine, a), &site);
  const int rc = PMPI_Imrecv(nullptr, 0, MPI_BYTE, message, request);
  if (rc != MPI_SUCCESS) return rc;
  return track_minted(*engine, *request, std::move(transfer), held.info, held.source, held.tag);
}

int receive_init(const ReceiveArguments& a, MPI_Request* request, PlainRequest plain) {
  Engine* engine = Engine::get();
  if (!engine || a.comm == MPI_COMM_NULL) return plain(request);
  clear_way(request);
  const Destination destination = destination_of(a);
  std::lock_guard lock(engine->mutex());
  Persistent persistent{true, buffer_span(a.buffer, a.count, a.type), a};
  CommInfo& info = engine->comms().of(a.comm);
  persistent.info = info.keep();
  if (a.rank == MPI_PROC_NULL || !info.eligible || destination.capacity < header_bytes) {
    const int rc = plain(request);
    if (rc == MPI_SUCCESS) engine->requests().keep(*request, persistent);
    return rc;
  }
  std::unique_ptr<char[]> bounce = bounce_for(destination);
  const int rc = bounce ? PMPI_Recv_init(bounce.get(), static_cast<int>(destination.capacity), MPI_BYTE,
                                         a.rank, a.tag, a.comm, request)
                        : plain(request);
  if (rc == MPI_SUCCESS) {
    Tracked& tracked = track(*engine, *request, a, destination);
    tracked.bounce = std::move(bounce);
    tracked.persistent = true;
    tracked.rest();
    engine->requests().keep(*request, persistent);
  }
  return rc;
}

bool start_early(Engine& engine, MPI_Request request) {
  const Persistent* kept = engine.requests().kept(request);
  if (!kept || kept->receive.rank == MPI_PROC_NULL) return false;
  const ReceiveArguments a = kept->receive;
  CommInfo& info = *kept->info;
  std::optional<EarlyMessage> early = take_early(info, a.rank, a.tag);
  if (!early) return false;
  Tracked* tracked = engine.requests().find(request);
  if (!tracked) {
    tracked = &engine.requests().add(request);
    tracked->info = kept->info;
    tracked->persistent = true;
    tracked->destination = destination_of(a);
  }
  tracked->post();
  tracked->taken_early = true;
  if (early->header) {
    Site& site = engine.sites().at(a.caller.address, a.caller.name);
    tracked->found_header(early->source, early->tag,
                          engine.start_incoming(*early->header, info.world_rank(early->source),
                                                destination_now(engine, a), &site));
    tracked->substitute = engine.mint_request();
  } else {
    tracked->found_plain();
    post_matched(a, &early->message, &tracked->substitute);
  }
  return true;
}

int isend_receive(const SendArguments& s, const ReceiveArguments& received, MPI_Request* request,
                  PlainRequest plain) {
  Engine* engine = Engine::get();
  ReceiveArguments r = received;
  r.half = true;
  clear_way(request);
  const Span in = buffer_span(r.buffer, r.count, r.type), out = buffer_span(s.buffer, s.count, s.type);
  retire_for_write(in.begin, in.length);
  retire_for_read(out.begin, out.length);
  if (!engine || s.comm == MPI_COMM_NULL) return plain(request);
  const std::size_t bytes = payload_bytes(s.count, s.type);
  const Destination destination = destination_of(r);
  if (destination.capacity < header_bytes && bytes < header_bytes && Comms::early_total == 0)
    return plain(request);
  // Two requests, of which the program holds the receive's: its status is the
  // one that counts, and it is ready only when the other half is.
  std::unique_ptr<char[]> copy;
  engine->note_call(r.caller, bytes, 0);
  SendArguments half = s;
  half.half = true;
  arrive(*engine, s, r);
  if (s.buffer == r.buffer && bytes > 0) {  // MPI_Isendrecv_replace
    copy_for_exchange(*engine, &half, &copy);
  }
  int rc = ireceive(r, request, [&](MPI_Request* receiving) { return post(r, receiving); });
  if (rc != MPI_SUCCESS) return rc;
  MPI_Request sending = MPI_REQUEST_NULL;
  rc = isend(half, &sending, [&](MPI_Request* started) { return post(half, started); });
  if (rc != MPI_SUCCESS) return rc;
  std::lock_guard lock(engine->mutex());
  Tracked* tracked = engine->requests().find(*request);
  if (!tracked) {
    tracked = &track(*engine, *request, r, destination);
    tracked->found_plain();
  }
  tracked->partner = sending;
  tracked->partner_copy = std::move(copy);
  return MPI_SUCCESS;
}

}  // namespace lapwing::transfer
