// SPDX-License-Identifier: Apache-2.0
// A communicator of the program with the sets that it divides into.
#pragma once

#include <mpi.h>

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sets/at_hand.hpp"
#include "sets/open_splits.hpp"
#include "sets/votes/ballot.hpp"

namespace lapwing::sets {

class Family;

/// How the votes of a set travel, and what was learnt about it: equal on all
/// members, as it changes only in calls that they make together.
struct SetComms : SetExtra {
  enum Phase { queued, collective, decided };

  Family* family = nullptr;
  Set* set = nullptr;
  MPI_Comm comm = MPI_COMM_NULL;  ///< what the program's calls on the set use
  MPI_Comm twin = MPI_COMM_NULL;  ///< what static votes use
  std::uint64_t near = 0;         ///< of the members, those on this node (watch.hpp)
  void* watched = nullptr;        ///< counts the set's calls there
  std::vector<int> ranks;         ///< of the members, in the parent; filled with `comm`
  Phase phase = queued;
  bool by_collective = false;   ///< from `decided` on
  std::uint64_t since = 0;      ///< ballots when the phase began
  std::vector<double> samples;  ///< exposed, of this phase's ballots
  double seconds[2] = {0, 0};   ///< the median of those, queued and collective

  /// Arrays that calls of MPI's read; equal ones are kept once, until the end.
  const int* keep(std::vector<int> values) { return arrays.insert(std::move(values)).first->data(); }
  std::set<std::vector<int>> arrays;
  std::set<std::vector<MPI_Datatype>> types;
  std::vector<std::unique_ptr<char[]>> inputs;
};

class Family {
 public:
  Family(MPI_Comm comm, std::vector<int> world, int size, int me);
  ~Family();

  /// Null where the communicator has not been divided or born yet. Cheap.
  static Family* find(MPI_Comm comm) {
    return comm == at_hand.comm && at_hand.last ? at_hand.last : look_up(comm);
  }
  /// Null where sets do not apply: no or one process, an intercommunicator, a
  /// member from outside of the job's world.
  static Family* of(MPI_Comm comm) {
    return comm == at_hand.comm && at_hand.last ? at_hand.last : make_of(comm);
  }
  /// All members are where `comm` has just been made: its identity is settled.
  static void born(MPI_Comm comm);
  /// Before Messages stop: frees every communicator of the sets.
  static void forget_all();
  template <typename F>
  static void each(F f) {
    for (Family* family : alive_) f(*family);
  }
  static Family* by_id(std::uint64_t id);

  std::uint64_t id() { return id_ != 0 ? id_ : identify(); }
  int world_rank(int rank) const { return world_.empty() ? rank : world_[static_cast<std::size_t>(rank)]; }
  /// "MPI_COMM_WORLD", or what the program named it.
  std::string name() const;
  /// For errors: the members' ranks, compressed ("ranks 0, 2-5").
  static std::string list(const Membership& members);

  SetComms& comms(Set& set);
  /// The set's communicator; its members make it together if there is none.
  MPI_Comm comm_of(Set& set);
  /// Whose communicator lapwing_set_comm() gave; null for all others.
  static SetComms* set_of(MPI_Comm comm);
  std::size_t communicators() const { return made_.size(); }
  MPI_Comm twin_of(Set& set);

  SetTable table;
  Stack stack;
  int open = 0;         ///< ballots started and incomplete
  bool waits = false;   ///< `waiting` has some
  bool listed = false;  ///< among those with open splits
  bool excluded = false;
  bool from_birth = false;  ///< known since the communicator was made

 private:
  std::uint64_t id_ = 0;

 public:
  MPI_Comm comm;
  std::deque<BallotRef> waiting;  ///< not started: their voters are not known yet

 private:
  static Family* look_up(MPI_Comm comm);
  static Family* make_of(MPI_Comm comm);
  std::uint64_t identify();
  static int on_free(MPI_Comm comm, int keyval, void* family, void* extra);
  MPI_Comm make(const Set& set) const;
  void free_comms();

  static inline int keyval_ = MPI_KEYVAL_INVALID, set_keyval_ = MPI_KEYVAL_INVALID;
  static inline std::vector<Family*> alive_;

  std::vector<int> world_;       ///< empty where ranks are those of the world
  std::vector<SetComms*> made_;  ///< in the order in which they got communicators
};

/// Ends the job with a sentence.
[[noreturn]] void fail(const std::string& sentence);

}  // namespace lapwing::sets
