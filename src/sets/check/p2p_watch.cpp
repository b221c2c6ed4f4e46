// SPDX-License-Identifier: Apache-2.0
// Sends, receives and probes while checking.
#include "sets/check/p2p_watch.hpp"

#include <memory>
#include <type_traits>
#include <vector>

#include "sets/check/freed_handles.hpp"
#include "sets/check/p2p_waits.hpp"
#include "sets/check/pending.hpp"
#include "sets/messages.hpp"
#include "sets/orders/history.hpp"
#include "transfer/packing.hpp"
#include "transfer/posting.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::sets {
namespace {

using Send = P2pWatch::Send;
using Receive = P2pWatch::Receive;

/// The circle in which a call's partner is; null for calls that are not followed.
template <typename Arguments>
Circle* followed(const Arguments& a) {
  last_watched = {a.caller.name, a.caller.address};
  const Told user = told_of(a.caller.name, a.caller.address);
  FreedHandles::check(HandleKind::communicator, a.comm, user);
  FreedHandles::check(HandleKind::datatype, a.type, user);
  if (a.rank == MPI_PROC_NULL) return nullptr;
  Circle* circle = Circles::of(a.comm);
  if (!circle) return nullptr;
  const bool known = a.rank >= 0 ? static_cast<std::size_t>(a.rank) < circle->peers.size()
                                 : a.rank == MPI_ANY_SOURCE && !circle->peers.empty();
  return known ? circle : nullptr;
}

template <typename Arguments>
Pending pending_of(const Arguments& a, Pending::Kind kind, Circle* circle) {
  Pending pending;
  pending.kind = kind;
  if constexpr (std::is_same_v<Arguments, Send>) pending.mode = a.kind;
  pending.circle = circle;
  pending.peer = a.rank;
  pending.tag = a.tag;
  pending.count = a.count;
  pending.name = a.caller.name;
  pending.returns_to = a.caller.address;
  if (!circle) return pending;
  pending.area = area_of(a.buffer, a.count, a.type, kind == Pending::receive);
  pending.element = element_of(a.type);
  pending.bytes = pending.element.size > 0 && *pending.element.name == 'M'
                      ? static_cast<std::uint64_t>(a.count) * static_cast<std::uint64_t>(pending.element.size)
                      : bytes_of(a.count, a.type);
  return pending;
}

/// A send begins.
void count_sent(Pending* pending) {
  Channel& channel = pending->circle->channel(pending->peer, pending->tag);
  pending->number = ++channel.sent;
  channel.call = pending->name;
  channel.returns_to = pending->returns_to;
  channel.sent_contents.add(pending->element, pending->bytes, part_of(*pending));
}

/// Its memory must be free for it.
void check_memory(const Pending& pending) {
  BufferWatch::look_at_abandoned();
  InFlight::check(pending.area, told_of(pending));
}

/// The program has its request.
void follow(MPI_Request request, Pending pending) {
  pending.in_flight = InFlight::hold(pending.area, told_of(pending), request);
  PendingRequests::add(request, pending);
}

/// It was refused.
void discount_sent(const Pending& pending) {
  Channel& channel = pending.circle->channel(pending.peer, pending.tag);
  --channel.sent;
  channel.sent_contents.forget();
}

// `returns`: to the program, which might use the buffer.
int start_send(const Send& a, MPI_Request* request, bool returns) {
  Circle* circle = followed(a);
  Pending pending = pending_of(a, Pending::send, circle);
  check_memory(pending);
  if (circle) count_sent(&pending);
  const int rc = post(a, request);
  if (circle && rc == MPI_SUCCESS) {
    if (returns) pending.watch = BufferWatch::sends(pending.area, told_of(pending));
    History::begins(&pending);
    follow(*request, pending);
  }
  if (circle && rc != MPI_SUCCESS) discount_sent(pending);
  return rc;
}

int start_receive(const Receive& a, MPI_Request* request, bool returns) {
  Circle* circle = followed(a);
  Pending pending = pending_of(a, Pending::receive, circle);
  check_memory(pending);
  Receive posted = a;
  if (circle && returns) {
    pending.watch = BufferWatch::receives(pending.area, told_of(pending));
    posted.buffer = BufferWatch::landing(pending.watch, a.buffer);
  }
  const int rc = post(posted, request);
  if (rc != MPI_SUCCESS) BufferWatch::finish(pending.watch, 0);
  if (circle && rc == MPI_SUCCESS) {
    History::begins(&pending);
    follow(*request, pending);
  }
  return rc;
}

}  // namespace

int P2pWatch::send(const Send& a) {
  if (a.kind == Send::Kind::buffered) {
    if (Circle* circle = followed(a)) {
      Pending pending = pending_of(a, Pending::send, circle);
      check_memory(pending);
      count_sent(&pending);
      History::begins(&pending);
    }
    return transfer::send_buffered(a);
  }
  Circle* circle = followed(a);
  MPI_Request request = MPI_REQUEST_NULL;
  Pending pending = pending_of(a, Pending::send, circle);
  check_memory(pending);
  if (circle) count_sent(&pending);
  const int rc = post(a, &request);
  if (rc != MPI_SUCCESS) {
    if (circle) discount_sent(pending);
    return rc;
  }
  History::begins(&pending);
  int done = 0;
  const int tested = PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
  if (tested != MPI_SUCCESS) return tested;
  if (done) {
    History::waited(pending, told_of(pending));
    return tested;
  }
  return wait_for(request, pending, MPI_STATUS_IGNORE, a.comm);
}

int P2pWatch::isend(const Send& a, MPI_Request* request) { return start_send(a, request, true); }

int P2pWatch::send_init(const Send& a, MPI_Request* request) {
  Circle* circle = followed(a);
  const int rc = transfer::prepare(a, request);
  if (rc != MPI_SUCCESS || !circle) return rc;
  Pending& pending = PendingRequests::add(*request, pending_of(a, Pending::send, circle));
  pending.persistent = true;
  pending.active = false;
  return rc;
}

int P2pWatch::receive(const Receive& a, MPI_Status* status) {
  Pending pending = pending_of(a, Pending::receive, followed(a));
  check_memory(pending);
  MPI_Request request = MPI_REQUEST_NULL;
  const int rc = post(a, &request);
  if (rc != MPI_SUCCESS) return rc;
  History::begins(&pending);
  return wait_for(request, pending, status, a.comm);
}

int P2pWatch::ireceive(const Receive& a, MPI_Request* request) { return start_receive(a, request, true); }

int P2pWatch::receive_init(const Receive& a, MPI_Request* request) {
  Circle* circle = followed(a);
  Pending made = pending_of(a, Pending::receive, circle);
  Receive prepared = a;
  if (circle && !mpi::looks_end_persistent) {
    made.watch = BufferWatch::persistent({{made.area}, true});
    prepared.buffer = BufferWatch::landing(made.watch, a.buffer);
  }
  const int rc = transfer::prepare(prepared, request);
  if (rc != MPI_SUCCESS) BufferWatch::drop(made.watch);
  if (rc != MPI_SUCCESS || !circle) return rc;
  Pending& pending = PendingRequests::add(*request, made);
  pending.persistent = true;
  pending.active = false;
  // Its messages cannot be counted: no claim is made.
  if (!pending.may_be_looked_at()) circle->uncertain = true;
  return rc;
}

void P2pWatch::note_partitioned(const GroupCall& call, MPI_Request request) {
  Send a{};
  a.rank = call.peer;
  a.comm = call.comm;
  Circle* circle = p2p_watched ? followed(a) : nullptr;
  if (!circle) return;
  History::ends();
  Pending pending;
  pending.kind = call.operation == Operation::psend_init ? Pending::send : Pending::receive;
  pending.persistent = true;
  pending.active = false;
  pending.circle = circle;
  pending.peer = call.peer;
  pending.tag = first_partitioned_tag + call.tag;
  pending.name = call.name;
  pending.returns_to = call.returns_to;
  PendingRequests::add(request, pending);
}

int P2pWatch::send_receive(const Send& s, const Receive& r, MPI_Status* status) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int rc = start_receive(r, &requests[0], false);
  if (rc != MPI_SUCCESS) return rc;
  rc = start_send(s, &requests[1], false);
  if (rc != MPI_SUCCESS) {
    PendingRequests::remove(requests[0]);
    PMPI_Cancel(&requests[0]);
    PMPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    return rc;
  }
  MPI_Status both[2];
  rc = wait_all(2, requests, both, s.caller);
  if (status != MPI_STATUS_IGNORE) {
    const int error = status->MPI_ERROR;
    *status = both[0];
    status->MPI_ERROR = error;
  }
  if (rc == MPI_ERR_IN_STATUS) rc = both[0].MPI_ERROR != MPI_SUCCESS ? both[0].MPI_ERROR : both[1].MPI_ERROR;
  return rc;
}

int P2pWatch::send_receive_replace(const Send& s, const Receive& r, MPI_Status* status) {
  std::unique_ptr<char[]> copy;
  Send packed = s;
  const int rc = transfer::copy_to_send(&packed, &copy);
  if (rc != MPI_SUCCESS) return rc;
  return send_receive(packed, r, status);
}

void P2pWatch::note_exchange(const Send& s, const Receive& r) {
  History::ends();
  if (Circle* circle = followed(s)) {
    Channel& channel = circle->channel(s.rank, s.tag);
    ++channel.sent;
    channel.sent_contents.forget();
  }
  if (Circle* circle = followed(r)) circle->uncertain = true;
}

}  // namespace lapwing::sets
