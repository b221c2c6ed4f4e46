// SPDX-License-Identifier: Apache-2.0
// How the votes of a ballot reach all voters: in rounds of doubling distance
// (Bruck), so that each sends a logarithm of messages of bits. Knows no MPI.
//
// A message may arrive before its ballot is met here, and rounds in any order.
// With up to three voters no process passes on another one's vote.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sets/votes/ballot.hpp"

namespace lapwing::sets {

class Votes {
 public:
  /// Sends bytes to the voter with a number in a set of the communicator `comm`.
  using Send = std::function<void(std::uint64_t comm, const Set& set, int position, const void* data,
                                  std::size_t size)>;

  explicit Votes(Send send) : send_(std::move(send)) {}

  /// The ballot's voters are known: sends the process' own vote. `comm` is the
  /// identity of the communicator, equal on all members.
  void start(std::uint64_t comm, Ballot& ballot);

  /// A message of another process' Votes.
  void arrived(const void* data, std::size_t size);

  /// Ballots for which others still wait for something that this process has to
  /// pass on. While there are some, it must not stop looking for messages.
  int owed() const { return owed_; }
  /// The same of all that are in this process.
  static inline std::atomic<int> owed_anywhere{0};
  /// Also in it, once the program has been given the communicator of a set: one
  /// word says that a message needs no attention.
  static constexpr int comms_given = 1 << 30;
  /// Another one while the program's messages are counted (run/watch.hpp).
  static constexpr int messages_counted = 1 << 29;
  /// Ballots that are open, or that others have begun.
  std::size_t open() const { return open_.size(); }

  /// Votes that are missing here: f(comm, sequence, ballot, position of the voter).
  template <typename F>
  void each_missing(F f) const {
    for (const auto& [key, exchange] : open_) {
      if (!exchange.ballot) continue;
      const int voters = exchange.ballot->voters->size(), mine = exchange.ballot->voters->mine();
      for (int at = exchange.held; at < voters; ++at)
        f(key.comm, key.sequence, *exchange.ballot, (mine + at) % voters);
    }
  }

  struct Head {
    std::uint64_t comm, set, sequence;
    std::uint64_t round;
  };

 private:
  struct Key {
    std::uint64_t comm, set, sequence;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const {
      return (k.comm * 0x9e3779b97f4a7c15u ^ k.set) + k.sequence * 0xff51afd7ed558ccdu;
    }
  };
  struct Early {
    std::uint32_t round;
    std::vector<std::uint64_t> bits;
  };
  struct Exchange {
    BallotRef ballot;                 ///< null until it is met here
    std::vector<std::uint64_t> have;  ///< votes from the process' own on, upwards in the ring
    std::size_t length = 0;           ///< bits
    int held = 0;                     ///< votes
    std::uint32_t sent = 0;           ///< rounds
    std::vector<Early> early;
    bool owes = false;
  };

  void advance(const Key& key, Exchange& exchange);
  static void finish(Exchange& exchange);

  Send send_;
  std::unordered_map<Key, Exchange, Hash> open_;
  int owed_ = 0;
  std::vector<char> letter_;
};

}  // namespace lapwing::sets
