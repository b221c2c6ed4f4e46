// SPDX-License-Identifier: Apache-2.0
// Communicators on which something is declared: an identity that all members
// know, and how many transfers each channel has seen.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sets/declared/leg.hpp"

namespace lapwing::sets::declared {

class Comm {
 public:
  /// After Messages::start(); the world is open from then on.
  static void start();
  static void stop();
  /// Collective over `comm`. An error is a sentence; empty if it is open now.
  static std::string open(MPI_Comm comm);
  /// Null where the program has not opened it.
  static Comm* of(MPI_Comm comm);
  /// By identity; null once the program has freed it.
  static Comm* find(std::uint64_t id);

  std::uint64_t id() const { return id_; }
  int rank() const { return rank_; }
  int size() const { return static_cast<int>(world_.size()); }
  int world_rank(int rank) const { return world_[static_cast<std::size_t>(rank)]; }
  int rank_of(int world_rank) const;
  /// "MPI_COMM_WORLD", or its name, or how many processes it has.
  const std::string& name() const { return name_; }

  /// The next transfer of a channel. Both of its ends count alike.
  Key next(int peer, int tag, bool outgoing);
  /// Whether this end of a transfer has been declared.
  bool has_declared(const Key& key, bool outgoing) const;
  /// The next collective one; legs are made of it with a peer each.
  Key next_collective();
  /// The next short-cut: any member's n-th is the n-th of all.
  std::uint32_t next_shortcut() { return shortcuts_++; }
  std::uint32_t shortcuts() const { return shortcuts_; }

 private:
  explicit Comm(MPI_Comm comm, std::uint64_t id);

  std::uint64_t id_;
  int rank_ = 0;
  std::vector<int> world_;
  std::string name_;
  std::unordered_map<Key, std::uint32_t, KeyHash> channels_;
  std::uint32_t collectives_ = 0, shortcuts_ = 0;
};

}  // namespace lapwing::sets::declared
