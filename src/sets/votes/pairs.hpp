// SPDX-License-Identifier: Apache-2.0
// Votes of sets of two: one message each way, straight from one to the other, with
// the receive posted as the vote is sent; or a letter each way on the node's board.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sets/votes/ballot.hpp"
#include "transfer/wire/board.hpp"

namespace lapwing::sets {

class alignas(64) Pairs {
 public:
  /// `comm` is the sets' own, with all processes of the job; `board` may be null.
  /// Letters and control messages of kind `kind` are for arrived().
  Pairs(MPI_Comm comm, transfer::Board* board, int kind) : board_(board), kind_(kind), comm_(comm) {}

  struct Peer;
  /// The process of that rank in the world.
  Peer* peer(int rank);
  /// Sends the process' vote to the other voter, whose peer hangs on the set.
  /// `identity` is the communicator's, equal on both.
  void start(std::uint64_t identity, Ballot& ballot);
  void arrived(int rank, const char* data);
  /// Takes what MPI has received; under the lock.
  void progress() {
    if (!posted_.empty() || !leaving_.empty()) test();
  }
  /// Ballots that lack the other's vote: f(ballot, peer, set, sequence).
  template <typename F>
  void each_open(F f) const;
  bool idle() const { return waiting_ == 0 && leaving_.empty(); }
  static constexpr std::size_t bytes_of_a_vote = 16;

 private:
  struct Vote {
    std::uint64_t set;               ///< of the communicator and the set together
    std::uint32_t sequence, branch;  ///< the sequence may wrap: few are under way at a time
  };
  struct Open {
    std::uint64_t set;
    std::uint32_t sequence;
    BallotRef ballot;
  };
  struct Letter {
    MPI_Request request;
    std::unique_ptr<Vote> vote;
  };

  static void complete(Ballot& ballot, std::uint64_t other);
  void post(Peer& peer);
  void take(Peer& peer, const Vote& vote);
  void send(Peer& peer, const Vote& vote);
  void test();

  transfer::Board* board_;
  int kind_;
  int waiting_ = 0;
  Peer* last_ = nullptr;
  std::vector<Peer*> posted_;  ///< peers with a receive under way
  std::vector<Letter> leaving_;
  MPI_Comm comm_;
  std::unordered_map<int, std::unique_ptr<Peer>> peers_;
  std::vector<std::unique_ptr<Vote>> spare_;
};

struct alignas(64) Pairs::Peer {
  int rank;
  transfer::Board::Neighbour* near = nullptr;  ///< on the board
  std::vector<Open> open;
  std::vector<Vote> early;  ///< for ballots that are not met here yet
  MPI_Request request = MPI_REQUEST_NULL;
  Vote in;
};

template <typename F>
void Pairs::each_open(F f) const {
  for (const auto& [rank, peer] : peers_) {
    for (const Open& open : peer->open) f(*open.ballot, rank, open.set, open.sequence);
  }
}

}  // namespace lapwing::sets
