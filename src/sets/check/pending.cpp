// SPDX-License-Identifier: Apache-2.0
#include "sets/check/pending.hpp"

#include <fmt/format.h>

#include <cstring>

namespace lapwing::sets {
namespace {

bool matches(int wanted, int given, int any) { return wanted == any || wanted == given; }

// Whether MPI has completed it, which the program may not know yet.
bool is_complete(const Pending& pending, MPI_Request request, MPI_Status* status) {
  int complete = 0;
  if (!pending.may_be_looked_at()) return false;
  return mpi::look(request, &complete, status) != MPI_SUCCESS || complete != 0;
}

MPI_Request handle_of(std::uint64_t key) {
  MPI_Request request;
  std::memcpy(&request, &key, sizeof request);
  return request;
}

template <typename Visit>
void visit_receives(const Circle& circle, Visit visit) {
  for (const auto& [key, pending] : PendingRequests::all()) {
    if (pending.kind != Pending::receive || pending.circle != &circle || !pending.active) continue;
    MPI_Status status{};
    const bool complete = is_complete(pending, handle_of(key), &status);
    if (visit(pending, complete, status)) return;
  }
}

template <typename Count>
std::uint64_t total(const Circle& circle, int peer, std::uint64_t tag, Count count) {
  std::uint64_t sum = 0;
  for (const auto& [key, channel] : circle.channels()) {
    if (static_cast<std::uint32_t>(peer) != key >> 32) continue;
    if (tag == Edge::any_tag || static_cast<std::uint32_t>(tag) == (key & 0xffffffffu)) sum += count(channel);
  }
  return sum;
}

}  // namespace

std::string near_miss(const Pending& receive) {
  if (receive.peer < 0 || is_partitioned(receive.tag)) return "";
  const int process = receive.circle->peers[static_cast<std::size_t>(receive.peer)];
  for (const auto& [id, circle] : Circles::all()) {
    if (circle->comm == MPI_COMM_NULL || Circles::of(circle->comm) != circle) continue;
    for (std::size_t rank = 0; rank < circle->peers.size(); ++rank) {
      if (circle->peers[rank] != process) continue;
      int here = 0;
      MPI_Status status{};
      if (PMPI_Iprobe(static_cast<int>(rank), MPI_ANY_TAG, circle->comm, &here, &status) != MPI_SUCCESS ||
          !here)
        continue;
      if (circle != receive.circle) {
        return fmt::format(" (one from that process with tag {} is here, on {})", status.MPI_TAG,
                           circle->described());
      }
      if (receive.tag != MPI_ANY_TAG && status.MPI_TAG != receive.tag)
        return fmt::format(" (one from that rank with tag {} is here)", status.MPI_TAG);
    }
  }
  return "";
}

std::uint64_t received(Circle& circle, int peer, std::uint64_t tag) {
  std::uint64_t count = total(circle, peer, tag, [](const Channel& c) { return c.received; });
  visit_receives(circle, [&](const Pending&, bool complete, const MPI_Status& status) {
    count += complete && status.MPI_SOURCE == peer &&
             (tag == Edge::any_tag || status.MPI_TAG == static_cast<int>(tag));
    return false;
  });
  return count;
}

bool has_sent_more(Circle& circle, int peer, std::uint64_t tag, std::uint64_t count) {
  bool uncertain = false;
  const std::uint64_t sent = total(circle, peer, tag, [&](const Channel& c) {
    uncertain = uncertain || c.uncertain;
    return c.sent;
  });
  return uncertain || sent > count;
}

bool has_received(Circle& circle, int peer, int tag, std::uint64_t number) {
  if (circle.uncertain || received(circle, peer, static_cast<std::uint32_t>(tag)) >= number) return true;
  bool may_take = standing().wait && standing().wait->could_receive(circle, peer, tag);
  visit_receives(circle, [&](const Pending& pending, bool complete, const MPI_Status&) {
    may_take = may_take || (!complete && matches(pending.peer, peer, MPI_ANY_SOURCE) &&
                            matches(pending.tag, tag, MPI_ANY_TAG));
    return may_take;
  });
  return may_take;
}

void message_edges(Circle& circle, int peer, int tag, int clause, Edges* edges) {
  if (circle.uncertain) edges->goes_on = true;
  const std::uint64_t wanted = tag == MPI_ANY_TAG ? Edge::any_tag : static_cast<std::uint32_t>(tag);
  auto add = [&](int rank) {
    edges->list.push_back({circle.peers[static_cast<std::size_t>(rank)], Edge::message, circle.id, wanted,
                           received(circle, rank, wanted), clause, 0});
  };
  if (peer != MPI_ANY_SOURCE) {
    if (peer >= 0 && static_cast<std::size_t>(peer) < circle.peers.size()) add(peer);
    return;
  }
  for (std::size_t rank = 0; rank < circle.peers.size(); ++rank) add(static_cast<int>(rank));
}

void request_edges(MPI_Request request, int clause, Edges* edges) {
  const Pending* pending = PendingRequests::find(request);
  MPI_Status status;
  if (!pending) {
    // Of a kind that is not followed.
    edges->goes_on = true;
    return;
  }
  if (pending->kind == Pending::group) {
    if (!call_edge(*pending->circle, pending->number, clause, edges)) edges->goes_on = true;
    return;
  }
  if (pending->kind == Pending::access || pending->cancelled || !pending->may_be_looked_at() ||
      is_complete(*pending, request, &status)) {
    edges->goes_on = true;
    return;
  }
  if (pending->kind == Pending::receive) {
    message_edges(*pending->circle, pending->peer, pending->tag, clause, edges);
    return;
  }
  edges->list.push_back({pending->circle->peers[static_cast<std::size_t>(pending->peer)], Edge::receive,
                         pending->circle->id, static_cast<std::uint32_t>(pending->tag), pending->number,
                         clause, 0});
}

std::string partner_text(const Pending& pending) {
  const std::string rank = pending.peer == MPI_ANY_SOURCE ? "any rank" : fmt::format("rank {}", pending.peer);
  const std::string tag =
      pending.tag == MPI_ANY_TAG ? "any tag" : fmt::format("tag {}", shown_tag(pending.tag));
  return fmt::format("{} {}, {}", pending.kind == Pending::receive ? "from" : "to", rank, tag);
}

}  // namespace lapwing::sets
