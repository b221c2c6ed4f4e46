// SPDX-License-Identifier: Apache-2.0
// A set, the vote that divides it, and a set that is not known yet.
//
// Knows no MPI: who sends votes to whom is votes.hpp's affair.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lapwing/compiled_sets.h"
#include "sets/membership.hpp"

namespace lapwing::sets {

class Ballot;
class SetTable;

/// Data that a room of MPI's keeps with a set: its communicator and the like.
struct SetExtra {
  virtual ~SetExtra() = default;
};

/// Those members of one communicator that run the same code. There is one object
/// for each membership, so pointers tell whether sets are equal.
///
/// Sets, ballots and what hangs on them are met once in a while, when they have left
/// the caches: what a split of two looks at stands together, at the front.
class alignas(64) Set {
 public:
  Set(SetTable& table, Membership members, int me)
      : id_(members.hash()),
        size_(members.count()),
        mine_(members.position(me)),
        table_(table),
        members_(std::move(members)) {}

  const Membership& members() const { return members_; }
  int size() const { return size_; }
  bool full() const { return members_.full(); }
  std::uint64_t id() const { return id_; }
  int mine() const { return mine_; }  ///< the process' own number within the set

  /// The voters of a complete ballot whose branch is in `mask`; a null mask
  /// means the process' own branch.
  Set* part(const Ballot& ballot, const unsigned long long* mask);

 private:
  struct Known {
    std::uint64_t first;  // of the votes: all there are of small sets
    const unsigned long long* mask;
    Set* part;
    int bits, mine;
    std::vector<std::uint64_t> votes;
    bool is(const Ballot& ballot, const unsigned long long* mask) const;
  };
  Set* work_out(const Ballot& ballot, const unsigned long long* mask);

  std::uint64_t id_;
  int size_, mine_;

 public:
  /// Ballots started on this set so far: the same number on all its members.
  std::uint64_t ballots = 0;
  /// Of the process that exchanges the votes of a set of two.
  void* peer = nullptr;

 private:
  std::vector<Known> known_;  ///< divisions seen lately
  std::uint32_t latest_ = 0, next_ = 0;
  SetTable& table_;
  Membership members_;

 public:
  std::unique_ptr<SetExtra> extra;
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

/// Shares a ballot; counted without atomics, for all of this happens under one lock.
class BallotRef {
 public:
  BallotRef() = default;
  explicit BallotRef(Ballot* ballot);
  BallotRef(const BallotRef& other);
  BallotRef(BallotRef&& other) noexcept : ballot_(std::exchange(other.ballot_, nullptr)) {}
  BallotRef& operator=(BallotRef other) noexcept {
    std::swap(ballot_, other.ballot_);
    return *this;
  }
  ~BallotRef();
  Ballot* get() const { return ballot_; }
  Ballot& operator*() const { return *ballot_; }
  Ballot* operator->() const { return ballot_; }
  explicit operator bool() const { return ballot_ != nullptr; }
  void reset() { *this = BallotRef(); }

 private:
  static void destroy(Ballot* ballot);
  Ballot* ballot_ = nullptr;
};

/// A set by its derivation: known, or part of a ballot that is still open.
class Subset {
 public:
  Subset() = default;
  explicit Subset(Set* known) : known_(known) {}
  Subset(BallotRef ballot, const unsigned long long* mask) : ballot_(std::move(ballot)), mask_(mask) {}
  /// Null while a vote is missing.
  Set* get() { return known_ || !ballot_ ? known_ : derive(); }
  const BallotRef& ballot() const { return ballot_; }

 private:
  Set* derive();

  Set* known_ = nullptr;
  BallotRef ballot_;
  const unsigned long long* mask_ = nullptr;
};

/// One vote of a set on which branch each member takes.
class alignas(64) Ballot {
 public:
  Ballot(lapwing_place where, int ways, int branch, Subset among) {
    begin(where, ways, branch, std::move(among));
  }
  /// A new one in the place of one to which nothing refers any more.
  void begin(const lapwing_place& where, int ways, int branch, Subset among) {
    place = where;
    branches = ways;
    mine = branch;
    bits = 1;
    while ((1 << bits) < branches) ++bits;
    from = std::move(among);
    if (narrowed) within = Subset();
    narrowed = complete = wide = false;
    open = nullptr;
    voters = nullptr;
  }

  /// The branch of the voter with this number, once complete.
  int branch_of(int position) const {
    const std::size_t at = static_cast<std::size_t>(position) * static_cast<std::size_t>(bits);
    std::uint64_t value = word(at / 64) >> (at % 64);
    if (at % 64 + static_cast<std::size_t>(bits) > 64) value |= word(at / 64 + 1) << (64 - at % 64);
    return static_cast<int>(value & ((std::uint64_t{1} << bits) - 1));
  }
  /// All votes are here: `bits` for each voter, by number.
  void complete_with(std::uint64_t all) {
    first = all;
    end();
  }
  void complete_with(std::vector<std::uint64_t> all) {
    first = all.front();
    wide = all.size() > 1;
    if (wide) votes = std::move(all);
    end();
  }
  void end() {
    complete = true;
    if (open) --*open;
  }
  std::uint64_t word(std::size_t i) const { return i == 0 ? first : votes[i]; }

  unsigned references = 0;
  int branches, mine;
  std::uint8_t bits = 1;  ///< of one vote
  bool complete = false;
  bool narrowed = false;  ///< by `within`
  bool wide = false;      ///< the votes are more than `first` holds
  std::uint64_t first = 0;
  Set* voters = nullptr;  ///< whose vote it is, once that is known and the ballot has started
  int* open = nullptr;    ///< counts the ballots that are not complete
  Subset from;            ///< whose vote it is
  lapwing_place place;
  Subset within;  ///< of the world, where a split there concerns this communicator too
  std::vector<std::uint64_t> votes;
};

inline BallotRef::BallotRef(Ballot* ballot) : ballot_(ballot) {
  if (ballot_) ++ballot_->references;
}
inline BallotRef::BallotRef(const BallotRef& other) : BallotRef(other.ballot_) {}
inline BallotRef::~BallotRef() {
  if (ballot_ && --ballot_->references == 0) [[unlikely]]
    destroy(ballot_);
}

/// Bits of votes, appended and copied.
void append_bits(std::vector<std::uint64_t>& to, std::size_t* length, const std::uint64_t* from,
                 std::size_t first, std::size_t count);

}  // namespace lapwing::sets
