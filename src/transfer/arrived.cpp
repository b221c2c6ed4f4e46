// SPDX-License-Identifier: Apache-2.0
#include "transfer/arrived.hpp"

#include "transfer/pages/page_trace.hpp"
#include "transfer/planted.hpp"
#include "transfer/wire/datatype.hpp"
#include "transfer/wire/mark.hpp"

namespace lapwing::transfer {
namespace {

std::size_t bytes_of(const MPI_Status& status) {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

}  // namespace

std::shared_ptr<Incoming> started_by_header(Engine& engine, const Destination& destination, CommInfo& info,
                                            const MPI_Status& status, Site* site) {
  if (!info.eligible || status.MPI_SOURCE < 0 || bytes_of(status) != header_bytes ||
      planted::is(planted::header_taken_for_plain))
    return nullptr;
  HeaderBytes header;
  engine.take_header(destination, &header);
  if (!Mark::is_on(header)) return nullptr;
  return engine.start_incoming(header, info.world_rank(status.MPI_SOURCE), destination, site);
}

namespace {

// The memory of a message that may be closed, or null.
char* closable(Engine& engine, const Destination& destination, std::size_t bytes, bool by_request) {
  char* const base = contiguous_base(destination.buffer, destination.count, destination.type);
  if (!base || !engine.may_defer_receives() || destination.shared || destination.proved ||
      (!by_request && engine.requests().posted().meets({base, bytes})) ||
      engine.sends_from(base, base + bytes))
    return nullptr;
  return base;
}

void trace_pages(Engine& engine, const Destination& destination, CommInfo& info, const MPI_Status& status,
                 const WaitForPlain& wait) {
  const std::size_t bytes = bytes_of(status);
  if (status.MPI_SOURCE < 0 || bytes <= header_bytes || bytes > destination.capacity || !info.eligible)
    return;
  const int source = info.world_rank(status.MPI_SOURCE);
  LandedMessage message{
      &wait.started, &wait.site,  source,     nullptr,
      bytes,         wait.posted, wait.began, wait.took + engine.governor().claim_send(source, wait.posted)};
  if (!engine.pages()->wants(message)) return;
  message.base = closable(engine, destination, bytes, wait.by_request);
  if (message.base) engine.pages()->watch(message, now_ns(), engine.governor().observer().in_mpi());
}

}  // namespace

void note_plain_receive(Engine& engine, const Destination& destination, CommInfo& info,
                        const MPI_Status& status, const WaitForPlain& wait) {
  Site &site = wait.site, &started = wait.started;
  engine.governor().attend();
  engine.governor().observer().note_in_mpi(wait.took);
  engine.drop_locks_at_rest();
  if (engine.pages()) return trace_pages(engine, destination, info, status, wait);
  const std::size_t bytes = bytes_of(status);
  const std::size_t least = engine.settings().guard_threshold;
  if (status.MPI_SOURCE < 0 || bytes <= header_bytes || bytes > destination.capacity) return;
  if (info.eligible && !wait.counted) engine.governor().note_plain(info.world_rank(status.MPI_SOURCE));
  if (bytes < least && least != machine::never) return;
  if (!info.eligible) return started.went_plain(PlainCause::communicator);
  const int source = info.world_rank(status.MPI_SOURCE);
  const std::size_t threshold = engine.sizes_to(source).guard;
  if (threshold == machine::never) return started.went_plain(PlainCause::never_pays);
  if (bytes < threshold) return;
  if (engine.never_strips(source)) return started.went_plain(PlainCause::own_node);
  const std::uint64_t waited = wait.took + engine.governor().claim_send(source, wait.posted);
  if (!engine.governor().received(site, source, bytes, waited))
    return started.went_plain(PlainCause::watched);
  if (!contiguous_base(destination.buffer, destination.count, destination.type))
    return started.went_plain(PlainCause::layout);
  char* const base = closable(engine, destination, bytes, wait.by_request);
  if (!base) return started.went_plain(PlainCause::shared);
  started.went_plain(PlainCause::watched);
  engine.governor().observe(site, started, base, bytes, waited);
}

}  // namespace lapwing::transfer
