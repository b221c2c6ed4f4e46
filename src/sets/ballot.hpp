// SPDX-License-Identifier: Apache-2.0
// A set, the vote that divides it, and a set that is not known yet.
//
// Knows no MPI: who sends votes to whom is votes.hpp's affair.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "lapwing/compiled_sets.h"
#include "sets/membership.hpp"

namespace lapwing::sets {

class Ballot;
class SetTable;

/// What a room of MPI's hangs on a set: its communicator and the like.
struct SetExtra {
  virtual ~SetExtra() = default;
};

/// Those members of one communicator that run the same code. There is one object
/// for each membership, so pointers tell whether sets are equal.
class Set {
 public:
  Set(SetTable& table, Membership members, int me)
      : table_(table), members_(std::move(members)), id_(members_.hash()), mine_(members_.position(me)) {}

  const Membership& members() const { return members_; }
  int size() const { return members_.count(); }
  bool full() const { return members_.full(); }
  std::uint64_t id() const { return id_; }
  int mine() const { return mine_; }  ///< the process' own number within the set

  /// Ballots started on this set so far: the same number on all its members.
  std::uint64_t ballots = 0;
  std::unique_ptr<SetExtra> extra;

  /// The voters of a complete ballot whose branch is in `mask`; a null mask
  /// means the process' own branch.
  Set* part(const Ballot& ballot, const unsigned long long* mask);

 private:
  struct Known {
    std::uint64_t first;  // of the votes: all there are of small sets
    const unsigned long long* mask;
    int bits, mine;
    Set* part;
    std::vector<std::uint64_t> votes;
  };

  SetTable& table_;
  Membership members_;
  std::uint64_t id_;
  int mine_;
  std::vector<Known> known_;  ///< divisions seen lately
  std::size_t next_ = 0;
};

/// The sets of one communicator that this process has been in.
class SetTable {
 public:
  SetTable(int ranks, int me) : me_(me) { all_ = intern(Membership(ranks, true)); }
  Set* all() const { return all_; }
  Set* intern(Membership members);
  int me() const { return me_; }
  std::size_t size() const { return sets_.size(); }
  template <typename F>
  void each(F f) {
    for (auto& [id, set] : sets_) f(*set);
  }

 private:
  int me_;
  Set* all_ = nullptr;
  std::unordered_multimap<std::uint64_t, std::unique_ptr<Set>> sets_;
};

/// A set by its derivation: known, or part of a ballot that is still open.
class Subset {
 public:
  Subset() = default;
  explicit Subset(Set* known) : known_(known) {}
  Subset(std::shared_ptr<Ballot> ballot, const unsigned long long* mask)
      : ballot_(std::move(ballot)), mask_(mask) {}
  /// Null while a vote is missing.
  Set* get();
  const std::shared_ptr<Ballot>& ballot() const { return ballot_; }

 private:
  Set* known_ = nullptr;
  std::shared_ptr<Ballot> ballot_;
  const unsigned long long* mask_ = nullptr;
};

/// One vote of a set on which branch each member takes.
class Ballot {
 public:
  Ballot(lapwing_place where, int ways, int branch, Subset among) {
    begin(where, ways, branch, std::move(among));
  }
  /// A new one in the place of one that nobody refers to any more.
  void begin(const lapwing_place& where, int ways, int branch, Subset among) {
    place = where;
    branches = ways;
    mine = branch;
    bits = 1;
    while ((1 << bits) < branches) ++bits;
    from = std::move(among);
    within = Subset();
    narrowed = complete = false;
    open = nullptr;
    voters = nullptr;
    votes.clear();
  }

  int branch_of(int position) const {
    const std::size_t at = static_cast<std::size_t>(position) * static_cast<std::size_t>(bits);
    std::uint64_t value = votes[at / 64] >> (at % 64);
    if (at % 64 + static_cast<std::size_t>(bits) > 64) value |= votes[at / 64 + 1] << (64 - at % 64);
    return static_cast<int>(value & ((std::uint64_t{1} << bits) - 1));
  }

  lapwing_place place;
  int branches, mine;
  int bits = 1;           ///< of one vote
  Subset from;            ///< whose vote it is
  Subset within;          ///< of the world, where a split there concerns this communicator too
  bool narrowed = false;  ///< by `within`
  int* open = nullptr;    ///< counts the ballots that are not complete
  Set* voters = nullptr;  ///< the same once it is known and the ballot has started
  bool complete = false;
  std::vector<std::uint64_t> votes;  ///< `bits` for each voter, by number, once complete
};

/// Bits of votes, appended and copied.
void append_bits(std::vector<std::uint64_t>& to, std::size_t* length, const std::uint64_t* from,
                 std::size_t first, std::size_t count);

}  // namespace lapwing::sets
