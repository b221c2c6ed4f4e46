// SPDX-License-Identifier: Apache-2.0
// Probing while checking.
#include <fmt/format.h>

#include "sets/check/freed_handles.hpp"
#include "sets/check/p2p_waits.hpp"
#include "sets/check/p2p_watch.hpp"
#include "sets/messages.hpp"
#include "sets/orders/history.hpp"

namespace lapwing::sets {
namespace {

// A message that only a receive by its handle can have now.
void take(Circle& circle, MPI_Message message, const MPI_Status& status) {
  History::ends();
  count_taken(circle, status.MPI_SOURCE, status.MPI_TAG);
  Pending pending;
  pending.kind = Pending::receive;
  pending.circle = &circle;
  pending.peer = status.MPI_SOURCE;
  pending.tag = status.MPI_TAG;
  MatchedMessages::add(message, pending);
}

void begin_probe(MPI_Comm comm, P2pWatch::Caller caller) {
  last_watched = {caller.name, caller.address};
  FreedHandles::check(HandleKind::communicator, comm, told_of(caller.name, caller.address));
}

/// A probe, matched or not.
template <typename Look>
class ProbeWait : public Wait {
 public:
  ProbeWait(Circle& circle, int rank, int tag, P2pWatch::Caller caller, Look look)
      : circle_(circle), caller_(caller), look_(look) {
    pending_.kind = Pending::receive;
    pending_.peer = rank;
    pending_.tag = tag;
  }
  bool done() override { return look_(); }
  void edges(Edges* edges) override {
    edges->clauses = 1;
    message_edges(circle_, pending_.peer, pending_.tag, 0, edges);
  }
  Told told() const override { return told_of(caller_.name, caller_.address); }
  std::string details() const override {
    return fmt::format("{}, on {}", partner_text(pending_), circle_.described());
  }

 private:
  Circle& circle_;
  P2pWatch::Caller caller_;
  Pending pending_;
  Look look_;
};

}  // namespace

int P2pWatch::probe(int rank, int tag, MPI_Comm comm, MPI_Status* status, Caller caller) {
  begin_probe(comm, caller);
  Circle* circle = rank == MPI_PROC_NULL ? nullptr : Circles::of(comm);
  if (!circle || circle->peers.empty()) return PMPI_Probe(rank, tag, comm, status);
  int rc = MPI_SUCCESS;
  auto look = [&] {
    int flag = 0;
    rc = PMPI_Iprobe(rank, tag, comm, &flag, status);
    return flag || rc != MPI_SUCCESS;
  };
  ProbeWait wait(*circle, rank, tag, caller, look);
  block(wait);
  return rc;
}

int P2pWatch::iprobe(int rank, int tag, MPI_Comm comm, int* flag, MPI_Status* status, Caller caller) {
  begin_probe(comm, caller);
  Messages::progress();
  return PMPI_Iprobe(rank, tag, comm, flag, status);
}

int P2pWatch::mprobe(int rank, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status,
                     Caller caller) {
  begin_probe(comm, caller);
  Circle* circle = rank == MPI_PROC_NULL ? nullptr : Circles::of(comm);
  if (!circle || circle->peers.empty()) return PMPI_Mprobe(rank, tag, comm, message, status);
  MPI_Status own{};
  MPI_Status* const seen = status == MPI_STATUS_IGNORE ? &own : status;
  int rc = MPI_SUCCESS;
  auto look = [&] {
    int flag = 0;
    rc = PMPI_Improbe(rank, tag, comm, &flag, message, seen);
    return flag || rc != MPI_SUCCESS;
  };
  ProbeWait wait(*circle, rank, tag, caller, look);
  block(wait);
  if (rc == MPI_SUCCESS) take(*circle, *message, *seen);
  return rc;
}

int P2pWatch::improbe(int rank, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status,
                      Caller caller) {
  begin_probe(comm, caller);
  Messages::progress();
  MPI_Status own{};
  MPI_Status* const seen = status == MPI_STATUS_IGNORE ? &own : status;
  const int rc = PMPI_Improbe(rank, tag, comm, flag, message, seen);
  Circle* circle = rank == MPI_PROC_NULL ? nullptr : Circles::of(comm);
  if (rc == MPI_SUCCESS && *flag && circle && !circle->peers.empty()) take(*circle, *message, *seen);
  return rc;
}

void P2pWatch::note_matched_receive(const MPI_Message* message) { MatchedMessages::remove(*message); }

}  // namespace lapwing::sets
