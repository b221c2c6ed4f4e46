// SPDX-License-Identifier: Apache-2.0
// Sends: at once where they are to be hidden, the plain way otherwise.
#include <climits>

#include "transfer/early.hpp"
#include "transfer/operations.hpp"
#include "transfer/planted.hpp"
#include "transfer/retire.hpp"

namespace lapwing::transfer {
namespace {

using SendKind = SendArguments::Kind;

// A transfer for this send, or nullptr where it goes the plain way.
std::shared_ptr<Outgoing> declare(Engine& engine, const SendArguments& a, bool blocking) {
  if (a.rank < 0 || a.comm == MPI_COMM_NULL || a.kind == SendKind::buffered) return nullptr;
  const std::size_t bytes = payload_bytes(a.count, a.type);
  if (bytes <= header_bytes) return nullptr;
  CommInfo& info = engine.comms().of(a.comm);
  if (a.rank >= info.size()) return nullptr;
  Site& site = engine.sites().at(a.caller.address, a.caller.name);
  if (!info.eligible) {
    if (bytes >= engine.settings().guard_threshold) site.went_plain(PlainCause::communicator);
    return nullptr;
  }
  const int destination = info.world_rank(a.rank);
  const std::size_t threshold = engine.sizes_to(destination).guard;
  const auto plainly = [&](PlainCause cause) {
    if (bytes >= threshold || threshold == machine::never) site.went_plain(cause);
    return nullptr;
  };
  if (!a.half) engine.governor().arrive(site, destination, bytes, true);
  if (engine.never_strips(destination)) return plainly(PlainCause::own_node);
  if (threshold == machine::never) return plainly(PlainCause::never_pays);
  const char* base = contiguous_base(a.buffer, a.count, a.type);
  if (!base) return plainly(PlainCause::layout);
  // Control messages about earlier messages may have come while nothing flew. A plain message would be
  // answered too early.
  if (engine.governor().in_strips()) engine.control().progress();
  Decision decision = engine.decide(site, bytes, destination, a.of_all);
  if (!decision.stripped) return plainly(PlainCause::watched);

  auto transfer =
      std::make_shared<Outgoing>(engine.next_id(), base, bytes, destination, decision.plan, &site);
  transfer->comm = a.comm;
  transfer->tag = a.tag;
  transfer->shares_pages = a.of_all;
  if (!blocking) return transfer;
  // The buffer belongs to the program again when the call returns. A pending receive into it (MPI forbids
  // that, ScaLAPACK's reductions do it) is written by MPI itself, which no guard may stop.
  if (engine.requests().posted().meets({base, bytes}) || !engine.guard_outgoing(*transfer)) {
    if (!engine.staging_permits(bytes)) return plainly(PlainCause::shared);
    transfer->own_payload();
  }
  return transfer;
}

// Only sends that strips could hide, and those that have waited.
void note_plain_send(Engine& engine, const SendArguments& a, std::uint64_t began, std::uint64_t took) {
  if (took < Engine::shortest_wait || a.rank < 0 || a.kind == SendKind::buffered) return;
  std::lock_guard lock(engine.mutex());
  CommInfo& info = engine.comms().of(a.comm);
  if (!info.eligible || a.rank >= info.size()) return;
  const int destination = info.world_rank(a.rank);
  if (payload_bytes(a.count, a.type) < engine.sizes_to(destination).guard || engine.never_strips(destination))
    return;
  engine.governor().note_send(destination, began, took);
}

}  // namespace

int send(const SendArguments& a, Plain plain) {
  Engine* engine = Engine::get();
  if (!engine) return plain();
  const std::uint64_t begun = now_ns();
  clear_way();
  const Span span = buffer_span(a.buffer, a.count, a.type);
  retire_for_read(span.begin, span.length);
  std::shared_ptr<Outgoing> transfer;
  Site* site = nullptr;
  {
    std::lock_guard lock(engine->mutex());
    transfer = declare(*engine, a, true);
    if (transfer) {
      site = transfer->site();
      const int rc = engine->start_outgoing(
          transfer, a.rank, a.kind == SendKind::synchronous ? SendMode::synchronous : SendMode::standard,
          nullptr);
      if (rc != MPI_SUCCESS) return rc;
      ++engine->stats.deferred_sends;
      engine->stats.bytes_deferred += transfer->total();
      ++site->deferred;
    } else {
      engine->drop_locks_at_rest();
    }
  }
  int rc = MPI_SUCCESS;
  if (!transfer) {
    rc = plain();
    if (span.length > header_bytes && rc == MPI_SUCCESS) {
      const std::uint64_t took = now_ns() - begun;
      note_plain_send(*engine, a, begun, took);
      engine->read_due_letters(took);
    }
  } else if (a.kind == SendKind::synchronous) {
    engine->drive([&] { return transfer->header_left(); });
  }
  engine->note_call(a.caller, span.length, now_ns() - begun);
  return rc;
}

int isend(const SendArguments& a, MPI_Request* request, PlainRequest plain) {
  Engine* engine = Engine::get();
  if (!engine) return plain(request);
  clear_way(request);
  const Span span = buffer_span(a.buffer, a.count, a.type);
  retire_for_read(span.begin, span.length);
  if (!a.half) engine->note_call(a.caller, span.length, 0);
  {
    std::lock_guard lock(engine->mutex());
    if (auto transfer = declare(*engine, a, false)) {
      const int rc = engine->start_outgoing(
          transfer, a.rank, a.kind == SendKind::synchronous ? SendMode::synchronous : SendMode::standard,
          request);
      if (rc != MPI_SUCCESS) return rc;
      Tracked& tracked = engine->requests().add(*request);
      tracked.announce(transfer);
      tracked.info = engine->comms().of(a.comm).keep();
      tracked.site = transfer->site();
      tracked.proved = a.proved;
      return MPI_SUCCESS;
    }
    if (span.length >= header_bytes) engine->plain_sends().note(span);
  }
  return plain(request);
}

int send_init(const SendArguments& a, MPI_Request* request, PlainRequest plain) {
  Engine* engine = Engine::get();
  if (!engine) return plain(request);
  clear_way(request);
  std::lock_guard lock(engine->mutex());
  const Persistent persistent{false, buffer_span(a.buffer, a.count, a.type), {}};
  const int rc = plain(request);
  if (rc == MPI_SUCCESS) engine->requests().keep(*request, persistent);
  return rc;
}

int start(MPI_Request* request) {
  Engine* engine = Engine::get();
  if (!engine) return PMPI_Start(request);
  clear_way(request);
  std::unique_lock lock(engine->mutex());
  const Persistent* kept = engine->requests().kept(*request);
  const bool known = kept != nullptr, receives = known && kept->receives;
  const Span span = known ? kept->span : Span{};
  lock.unlock();
  if (!known) {
    retire_everything();  // a collective, or from before the engine started
  } else if (receives) {
    retire_for_write(span.begin, span.length);
  } else {
    retire_for_read(span.begin, span.length);
  }
  lock.lock();
  Tracked* tracked = engine->requests().find(*request);
  if (tracked && !tracked->persistent) tracked = nullptr;  // MPI will refuse it
  if (tracked) {
    tracked->post();
    tracked->posted_ns = now_ns();
    engine->note_posted_receive();  // a header may be needed before the program waits
  }
  if (receives && start_early(*engine, *request)) return MPI_SUCCESS;
  if (known && !receives && span.length >= header_bytes) engine->plain_sends().note(span);
  return PMPI_Start(request);
}

}  // namespace lapwing::transfer
