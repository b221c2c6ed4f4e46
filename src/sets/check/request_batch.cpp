// SPDX-License-Identifier: Apache-2.0
#include "sets/check/request_batch.hpp"

#include "sets/check/p2p_waits.hpp"
#include "sets/orders/history.hpp"
#include "transfer/engine.hpp"

namespace lapwing::sets {
namespace {

constexpr std::uint64_t long_unsettled = 2'000'000'000u;

// A group without agreement is left open: a message of another member will close it.
void close_group(const Pending& pending) {
  const Opened* opened = pending.circle->find(pending.number);
  if (opened && opened->settled() && !opened->combined.wrong) pending.circle->close(pending.number);
}

// Into memory of the checker's; of collective calls the whole of it counts.
std::size_t bytes_landed(const Pending& pending, const MPI_Status& status) {
  if (!pending.watch || pending.kind == Pending::group || pending.kind == Pending::access)
    return ~std::size_t{0};
  if (pending.kind == Pending::send) return 0;
  int cancelled = 0, bytes = 0;
  if (pending.cancelled) PMPI_Test_cancelled(&status, &cancelled);
  if (cancelled) return 0;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  return bytes == MPI_UNDEFINED || bytes < 0 ? 0 : static_cast<std::size_t>(bytes);
}

}  // namespace

bool is_wild(const Pending& pending) {
  return pending.kind == Pending::receive &&
         (pending.peer == MPI_ANY_SOURCE || pending.tag == MPI_ANY_TAG || pending.cancelled);
}

bool wants_status(const Pending& pending) {
  return is_wild(pending) || pending.watch || (pending.kind == Pending::receive && pending.element.size > 0);
}

void retire(const Pending& pending, bool well, const MPI_Status& status) {
  if (pending.kind != Pending::receive || !pending.circle) return;
  int cancelled = 0;
  if (pending.cancelled) PMPI_Test_cancelled(&status, &cancelled);
  if (cancelled) return History::cancelled(pending);
  const bool wild = is_wild(pending);
  Channel& channel =
      pending.circle->channel(wild ? status.MPI_SOURCE : pending.peer, wild ? status.MPI_TAG : pending.tag);
  ++channel.received;
  History::took(pending, wild ? status.MPI_SOURCE : pending.peer, wild ? status.MPI_TAG : pending.tag);
  if (!well) History::ends();
  int bytes = MPI_UNDEFINED;
  if (well && pending.element.size > 0) PMPI_Get_count(&status, MPI_BYTE, &bytes);
  if (bytes == MPI_UNDEFINED) return channel.received_contents.forget();
  channel.received_contents.add(pending.element, static_cast<std::uint64_t>(bytes), part_of(pending));
}

RequestBatch::RequestBatch(int count, MPI_Request* requests) : count_(count > 0 ? count : 0) {
  if (count_ > few) many_ = std::make_unique<MPI_Request[]>(static_cast<std::size_t>(count_));
  for (int i = 0; i < count_; ++i) {
    handles()[i] = requests[i];
    const Pending* pending = requests[i] == MPI_REQUEST_NULL ? nullptr : PendingRequests::find(requests[i]);
    if (!pending) {
      delicate_ = delicate_ || requests[i] != MPI_REQUEST_NULL;
      continue;
    }
    followed_ = true;
    wants_statuses_ = wants_statuses_ || wants_status(*pending);
    delicate_ =
        delicate_ || (pending->kind == Pending::group && pending->persistent) || is_partitioned(pending->tag);
  }
}

bool RequestBatch::is_idle_group(int i) const {
  const Pending* pending = handle(i) == MPI_REQUEST_NULL ? nullptr : PendingRequests::find(handle(i));
  return pending && pending->kind == Pending::group && pending->persistent && !pending->active;
}

void RequestBatch::waited_by(const Told* told) {
  waited_by_ = told;
  for (int i = 0; followed_ && i < count_; ++i) {
    Pending* pending = handle(i) == MPI_REQUEST_NULL ? nullptr : PendingRequests::find(handle(i));
    if (pending && pending->persistent && !pending->active) pending->waited_at = told->returns_to;
  }
}

void RequestBatch::completed(int i, bool well, const MPI_Status& status) {
  if (handle(i) == MPI_REQUEST_NULL) return;
  Pending* pending = PendingRequests::find(handle(i));
  if (!pending || !pending->active) return;
  pending->finish(bytes_landed(*pending, status));
  const Pending copy = *pending;
  if (pending->persistent) {
    pending->active = false;
  } else {
    PendingRequests::remove(handle(i));
  }
  if (copy.kind == Pending::group) {
    close_group(copy);
    History::seen(copy, told_of(copy));
  } else {
    retire(copy, well, status);
    if (waited_by_)
      History::waited(copy, *waited_by_);
    else
      History::seen(copy, told_of(copy));
  }
}

bool RequestBatch::groups_settled() const {
  bool settled = true;
  for (int i = 0; followed_ && i < count_; ++i) {
    const Pending* pending = handle(i) == MPI_REQUEST_NULL ? nullptr : PendingRequests::find(handle(i));
    if (!pending || pending->kind != Pending::group || !pending->active) continue;
    const Opened* opened = pending->circle->find(pending->number);
    if (opened && opened->combined.wrong) return false;
    settled = settled && (!opened || opened->settled());
  }
  if (settled) return true;
  const std::uint64_t now = transfer::now_ns();
  if (unsettled_since_ == 0) unsettled_since_ = now;
  return now - unsettled_since_ > long_unsettled;
}

}  // namespace lapwing::sets
