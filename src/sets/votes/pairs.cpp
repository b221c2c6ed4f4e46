// SPDX-License-Identifier: Apache-2.0
#include "sets/votes/pairs.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "sets/messages.hpp"

namespace lapwing::sets {
namespace {

constexpr int pair_tag = 78;

}  // namespace

[[gnu::hot]] void Pairs::complete(Ballot& ballot, std::uint64_t other) {
  const std::uint64_t mine = static_cast<std::uint64_t>(ballot.mine);
  const bool first = ballot.voters->mine() == 0;
  ballot.complete_with((first ? mine : other) | (first ? other : mine) << ballot.bits);
}

Pairs::Peer* Pairs::peer(int rank) {
  if (last_ && last_->rank == rank) return last_;
  std::unique_ptr<Peer>& peer = peers_[rank];
  if (!peer) {
    peer = std::make_unique<Peer>();
    peer->rank = rank;
    peer->near = board_ ? board_->neighbour(rank) : nullptr;
    peer->open.reserve(4);
  }
  last_ = peer.get();
  return last_;
}

[[gnu::hot]] void Pairs::start(std::uint64_t identity, Ballot& ballot) {
  Set& set = *ballot.voters;
  Peer& peer = *static_cast<Peer*>(set.peer);
  const std::uint64_t key = identity ^ set.id();
  const Vote vote = {key, static_cast<std::uint32_t>(set.ballots++), static_cast<std::uint32_t>(ballot.mine)};
  if (!peer.near || !board_->send(*peer.near, kind_, &vote, sizeof vote)) [[unlikely]]
    send(peer, vote);
  for (auto early = peer.early.begin(); early != peer.early.end(); ++early) {
    if (early->set != key || early->sequence != vote.sequence) continue;
    complete(ballot, early->branch);
    peer.early.erase(early);
    return;
  }
  peer.open.push_back({key, vote.sequence, BallotRef(&ballot)});
  ++waiting_;
  if (!peer.near) post(peer);
}

void Pairs::send(Peer& peer, const Vote& vote) {
  if (peer.near) {
    Messages::send(peer.rank, kind_, &vote, sizeof vote);
    return;
  }
  if (spare_.empty()) spare_.push_back(std::make_unique<Vote>());
  std::unique_ptr<Vote> letter = std::move(spare_.back());
  spare_.pop_back();
  *letter = vote;
  MPI_Request request;
  PMPI_Isend(letter.get(), sizeof vote, MPI_BYTE, peer.rank, pair_tag, comm_, &request);
  int left = 0;
  PMPI_Test(&request, &left, MPI_STATUS_IGNORE);
  if (left) {
    spare_.push_back(std::move(letter));
  } else {
    leaving_.push_back({request, std::move(letter)});
  }
}

void Pairs::post(Peer& peer) {
  if (peer.open.empty() || peer.request != MPI_REQUEST_NULL) return;
  PMPI_Irecv(&peer.in, sizeof peer.in, MPI_BYTE, peer.rank, pair_tag, comm_, &peer.request);
  posted_.push_back(&peer);
}

[[gnu::hot]] void Pairs::take(Peer& peer, const Vote& vote) {
  auto open = peer.open.begin();
  while (open != peer.open.end() && (open->set != vote.set || open->sequence != vote.sequence)) ++open;
  if (open == peer.open.end()) {
    peer.early.push_back(vote);
  } else {
    complete(*open->ballot, vote.branch);
    peer.open.erase(open);
    --waiting_;
  }
}

[[gnu::hot]] void Pairs::arrived(int rank, const char* data) {
  Vote vote;
  std::memcpy(&vote, data, sizeof vote);
  take(*peer(rank), vote);
}

void Pairs::test() {
  for (std::size_t i = 0; i < posted_.size();) {
    Peer& peer = *posted_[i];
    int here = 0;
    PMPI_Test(&peer.request, &here, MPI_STATUS_IGNORE);
    if (!here) {
      ++i;
      continue;
    }
    posted_[i] = posted_.back();
    posted_.pop_back();
    take(peer, peer.in);
    post(peer);
  }
  std::erase_if(leaving_, [this](Letter& letter) {
    int left = 0;
    PMPI_Test(&letter.request, &left, MPI_STATUS_IGNORE);
    if (left) spare_.push_back(std::move(letter.vote));
    return left != 0;
  });
}

}  // namespace lapwing::sets
