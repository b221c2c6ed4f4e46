// SPDX-License-Identifier: Apache-2.0
#include "transfer/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "flavour.hpp"
#include "mpi/ending.hpp"
#include "mpi/library_locks.hpp"
#include "mpi/looks.hpp"
#include "transfer/accounts/accounts.hpp"
#include "transfer/accounts/record.hpp"
#include "transfer/compiled/proved.hpp"
#include "transfer/helper.hpp"
#include "transfer/planted.hpp"
#include "transfer/posting.hpp"
#include "transfer/windows/exposure.hpp"
#include "transfer/wire/datatype.hpp"
#include "transfer/wire/mark.hpp"

namespace lapwing::transfer {

bool Engine::staging_permits(std::size_t bytes) const {
  std::size_t held = bytes;
  for (const auto& transfer : outgoing_) held += transfer->owned_bytes();
  return held <= settings_.staging;
}

int Engine::start_outgoing(std::shared_ptr<Outgoing> transfer, int rank, SendMode mode,
                           MPI_Request* user_request) {
  HeaderBytes& header = transfer->prepare_header(transfer->site() ? transfer->site()->key : 0);
  MPI_Request* request = user_request ? user_request : &transfer->header_request;
  const int size = static_cast<int>(header.size());
  const int rc =
      mode == SendMode::synchronous
          ? PMPI_Issend(header.data(), size, MPI_BYTE, rank, transfer->tag, transfer->comm, request)
          : PMPI_Isend(header.data(), size, MPI_BYTE, rank, transfer->tag, transfer->comm, request);
  if (rc != MPI_SUCCESS) return rc;
  if (user_request) {
    // MPICH gives all sends that leave at once the same handle, behind which
    // nothing can be kept: the program gets a handle of its own.
    int left = 0;
    PMPI_Test(user_request, &left, MPI_STATUS_IGNORE);
    if (left) {
      transfer->note_header_left();
      *user_request = mint_request();
    }
  }
  if (Site* site = transfer->site()) ++site->stripped;
  governor_->note_sent(transfer->destination());
  adopt_outgoing(std::move(transfer));
  return MPI_SUCCESS;
}

void Engine::adopt_outgoing(std::shared_ptr<Outgoing> transfer) {
  mutex_.assert_held();
  outgoing_.push_back(transfer);
  transfer->advance(*this);
  wake_helper();
}

std::shared_ptr<Incoming> Engine::start_incoming(const HeaderBytes& header, int world_source,
                                                 const Destination& destination, Site* site) {
  mutex_.assert_held();
  // A probe has taken a message of the program's that has a header's size.
  if (!Mark::is_on(header)) return std::make_shared<Incoming>(*this, header, world_source, destination);
  governor_->note_header(world_source);
  const auto [id, total] = Incoming::identity(header);
  if (remembering_) seen_.insert({world_source, id});
  if (const auto orphan = orphans_.find({world_source, id}); orphan != orphans_.end()) {
    auto transfer = orphan->second;
    orphans_.erase(orphan);
    transfer->claim(*this, header, destination, site);
    return transfer;
  }
  auto transfer = std::make_shared<Incoming>(*this, header, world_source, destination, site);
  incoming_.push_back(transfer);
  transfer->advance(*this);
  if ((transfer->may_return() || destination.proved) && !transfer->landed()) {
    ++stats.deferred_receives;
    stats.bytes_deferred += total;
    if (site) ++site->deferred;
  }
  wake_helper();
  return transfer;
}

bool Engine::sends_from(const char* from, const char* to) {
  const bool plainly = plain_sends_.take(from, to);
  return plainly || std::any_of(outgoing_.begin(), outgoing_.end(),
                                [&](const auto& transfer) { return transfer->reads(from, to); });
}

bool Engine::progress() {
  mutex_.assert_held();
  bool moved = false;
  while (!loose_.empty()) {
    int done = 0;
    PMPI_Test(&loose_.back(), &done, MPI_STATUS_IGNORE);
    if (!done) break;
    loose_.pop_back();
  }
  for (auto it = incoming_.begin(); it != incoming_.end();) {
    moved |= (*it)->advance(*this);
    it = (*it)->landed() ? incoming_.erase(it) : std::next(it);
  }
  for (auto it = outgoing_.begin(); it != outgoing_.end();) {
    moved |= (*it)->advance(*this);
    const Outgoing& transfer = **it;
    if (transfer.finished() && transfer.credited() == 0)
      left_uncredited_.insert({{transfer.destination(), transfer.id()}, {transfer.plan(), transfer.total()}});
    it = transfer.finished() ? outgoing_.erase(it) : std::next(it);
  }
  moved |= accesses_.advance(*this);
  if (Requests::any() && must_look_at_receives()) moved |= poll_pending_receives();
  moved |= answer_touches();
  if (!outgoing_.empty() || control_->sending() || listening_ || governor_->expects())
    moved |= control_->progress() > 0;
  return moved;
}

bool Engine::poll_pending_receives() {
  bool moved = false;
  MPI_Request forsaken = MPI_REQUEST_NULL;
  const mpi::Unheard unheard;  // once for all looks
  for (auto& [key, tracked] : requests_.all()) {
    if (tracked.state() == Tracked::State::posted) moved |= look_for_header(tracked, request_of(key));
    if (tracked.abandoned && !tracked.awaits_header() && (!tracked.incoming || tracked.incoming->landed()))
      forsaken = request_of(key);
  }
  if (forsaken != MPI_REQUEST_NULL) {
    // The program freed it before it was matched; now nothing of it is left.
    if (Tracked* tracked = requests_.find(forsaken); tracked->substitute != MPI_REQUEST_NULL)
      PMPI_Request_free(&tracked->substitute);
    requests_.remove(forsaken);
    --abandoned_;
    PMPI_Request_free(&forsaken);
  }
  return moved;
}

bool Engine::look_for_header(Tracked& tracked, MPI_Request request) {
  int complete = 0;
  MPI_Status status;
  const int code = mpi::look(request, &complete, &status);
  if (code == MPI_SUCCESS && !complete) return false;
  // The program waits for a substitute then, alone or for one of several.
  const bool ended = tracked.persistent && mpi::looks_end_persistent;
  if (code != MPI_SUCCESS) {
    tracked.found_plain();  // the program's own wait will meet the error
    if (ended) {
      tracked.error = code;
      tracked.substitute = mint_request(status);
    }
    return true;
  }
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  int cancelled = 0;
  PMPI_Test_cancelled(&status, &cancelled);
  const CommInfo& info = *tracked.info;
  const bool from_partner = !cancelled && status.MPI_SOURCE >= 0 && info.eligible;
  if (from_partner && bytes > static_cast<MPI_Count>(header_bytes))
    governor_->note_plain(info.world_rank(status.MPI_SOURCE));
  if (!from_partner || bytes != static_cast<MPI_Count>(header_bytes)) {
    tracked.found_plain();
    if (ended) tracked.substitute = mint_request(status);
    return true;
  }
  HeaderBytes header;
  if (tracked.bounce)
    std::memcpy(header.data(), tracked.bounce.get(), header.size());
  else
    take_header(tracked.destination, &header);
  if (!Mark::is_on(header)) {
    tracked.found_plain();
    if (ended) tracked.substitute = mint_request(status);
    return true;
  }
  if (ended) tracked.substitute = mint_request();
  tracked.found_header(
      status.MPI_SOURCE, status.MPI_TAG,
      start_incoming(header, info.world_rank(status.MPI_SOURCE), tracked.destination, tracked.site));
  return true;
}

void Engine::take_header(const Destination& destination, HeaderBytes* header) {
  if (const char* base = contiguous_base(destination.buffer, destination.count, destination.type)) {
    std::memcpy(header->data(), base, header->size());
    return;
  }
  // The header has been scattered by the receive's type map: gather it again,
  // from as few elements as hold it.
  MPI_Count size = 1;
  PMPI_Type_size_x(destination.type, &size);
  const MPI_Count count =
      std::min<MPI_Count>(destination.count, (static_cast<MPI_Count>(header_bytes) + size - 1) / size);
  std::vector<char> packed(static_cast<std::size_t>(count * size));
  gather(destination.buffer, count, destination.type, packed.data(), packed.size());
  std::memcpy(header->data(), packed.data(), header->size());
}

void Engine::gather(const void* buffer, MPI_Count count, MPI_Datatype type, char* out, std::size_t bytes) {
  carry({buffer, count, type, 0, 3, self_comm_, {}}, out, static_cast<MPI_Count>(bytes), MPI_BYTE);
}

void Engine::note_call(const Caller& caller, std::size_t bytes, std::uint64_t nanoseconds) {
  if (!Record::wanted()) return;
  std::lock_guard lock(mutex_);
  Site& site = sites_.at(caller.address, caller.name);
  ++site.calls;
  site.bytes += bytes;
  site.exposed_ns += nanoseconds;
  stats.exposed_ns += nanoseconds;
  if (site.deferred == 0) Accounts::received(caller, bytes, nanoseconds);
}

void Engine::note_region_opened(const Incoming& transfer, const guard::Region& region) {
  const std::uint64_t waited = region.waited_ns.load(std::memory_order_relaxed);
  const std::uint32_t faults = region.faults.load(std::memory_order_relaxed);
  stats.faults += faults;
  stats.exposed_ns += waited;
  if (Site* site = transfer.site()) {
    site->faults += faults;
    site->exposed_ns += waited;
    site->waited_ns += waited;
  }
}

void Engine::note_landed(const Incoming& transfer) {
  Site* const site = transfer.site();
  if (!site) return;
  const std::uint64_t took = now_ns() - transfer.born_ns();
  site->transfer_ns += took;
  // A window of it may have come before it was matched.
  if (const std::size_t total = transfer.total(); Record::wanted() && total > 2 * settings_.window)
    Accounts::landed({site->address, site->call}, total - settings_.window, took);
}

int Engine::receive_from_self(const char* bytes, std::size_t size, const Destination& destination) {
  if (destination.apart) {
    // Another receive was posted into this very buffer: what it got there is
    // read first, and nothing else may arrive until the bytes are in place.
    for (auto& [key, tracked] : requests_.all()) {
      if (tracked.awaits_header() && tracked.destination.shared && !tracked.bounce)
        look_for_header(tracked, request_of(key));
    }
    char* base = contiguous_base(destination.buffer, destination.count, destination.type);
    if (base && size <= destination.capacity) {
      std::memcpy(base, bytes, size);
      return MPI_SUCCESS;
    }
  }
  // MPI is not asked to cut it: some write on behind the buffer, or end the job.
  const bool cut = size > destination.capacity;
  const auto sent = static_cast<MPI_Count>(cut ? destination.capacity : size);
  const int rc = carry({bytes, sent, MPI_BYTE, 0, 0, self_comm_, {}}, destination.buffer, destination.count,
                       destination.type);
  return cut && rc == MPI_SUCCESS ? MPI_ERR_TRUNCATE : rc;
}

MPI_Request Engine::mint_request() {
  MPI_Request sent, request;
  PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, 1, self_comm_, &request);
  PMPI_Isend(nullptr, 0, MPI_BYTE, 0, 1, self_comm_, &sent);
  loose_.push_back(sent);
  return request;
}

MPI_Request Engine::mint_request(const MPI_Status& status) {
  const auto query = [](void* kept, MPI_Status* out) -> int {
    *out = *static_cast<const MPI_Status*>(kept);
    return MPI_SUCCESS;
  };
  const auto free = [](void* kept) -> int {
    delete static_cast<MPI_Status*>(kept);
    return MPI_SUCCESS;
  };
  const auto cancel = [](void*, int) -> int { return MPI_SUCCESS; };
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Grequest_start(query, free, cancel, new MPI_Status(status), &request);
  PMPI_Grequest_complete(request);
  return request;
}

MPI_Message Engine::mint_message() {
  MPI_Request sent;
  MPI_Message message;
  PMPI_Isend(nullptr, 0, MPI_BYTE, 0, 2, self_comm_, &sent);
  PMPI_Mprobe(0, 2, self_comm_, &message, MPI_STATUS_IGNORE);
  loose_.push_back(sent);  // complete only when received, on some transports
  return message;
}

bool Engine::must_look_at_receives() const { return governor_->expects() || listening_ || abandoned_ > 0; }

bool Engine::helper_looks_at_receives() const {
  return governor_->in_strips() || listening_ || abandoned_ > 0;
}

bool Engine::at_rest() const { return !must_look_at_receives() && !anything_in_flight(); }

void Engine::drop_locks_at_rest() {
  if (at_rest() && !Proved::in_flight() && !Exposure::any()) mpi::LibraryLocks::drop();
}

bool Engine::somebody_waits() const {
  for (const auto& transfer : incoming_) {
    if (transfer->region() && transfer->region()->waiting.load(std::memory_order_relaxed) != 0) return true;
  }
  for (const auto& transfer : outgoing_) {
    if (transfer->region() && transfer->region()->waiting.load(std::memory_order_relaxed) != 0) return true;
  }
  return accesses_.somebody_waits();
}

bool Engine::guard_outgoing(Outgoing& transfer) {
  if (planted::is(planted::skipped_write_guard)) return true;
  // Pages of what comes cannot be closed twice; those of what leaves to several at once can.
  const bool open = transfer.shares_pages || !guard::meets_closed(transfer.payload(), transfer.total());
  return guarding_ && open && transfer.guard();
}

void Engine::wake_helper() {
  mpi::LibraryLocks::take();
  if (helper_) helper_->wake();
}

void Engine::note_posted_receive() {
  if (!helper_ || !helper_looks_at_receives()) return;
  mpi::LibraryLocks::take();
  helper_->wake_if_idle();
}

void Engine::die_of_foreign_header(int source) {
  fmt::print(
      stderr,
      "lapwing: rank {}: a message from rank {} has the size of a header but was not made by this version of "
      "Lapwing; do all ranks run the same one?\n",
      world_rank_, source);
  mpi::end_job(1);
}

void Engine::die_of_lost_strip(const Incoming& transfer, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, text, &length);
  fmt::print(stderr,
             "lapwing: rank {}: the rest of a message of {} bytes from rank {} cannot arrive any more: {}\n",
             world_rank_, transfer.total(), transfer.source(), text);
  mpi::end_job(1);
}

}  // namespace lapwing::transfer
