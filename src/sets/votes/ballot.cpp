// SPDX-License-Identifier: Apache-2.0
#include "sets/votes/ballot.hpp"

#include <utility>

namespace lapwing::sets {
namespace {

constexpr std::size_t remembered = 8;

}  // namespace

inline bool Set::Known::is(const Ballot& ballot, const unsigned long long* by) const {
  return first == ballot.first && mask == by && mine == ballot.mine && bits == ballot.bits &&
         (!ballot.wide || votes == ballot.votes);
}

[[gnu::hot]] Set* Set::part(const Ballot& ballot, const unsigned long long* mask) {
  if (latest_ < known_.size() && known_[latest_].is(ballot, mask)) [[likely]]
    return known_[latest_].part;
  return work_out(ballot, mask);
}

Set* Set::work_out(const Ballot& ballot, const unsigned long long* mask) {
  for (latest_ = 0; latest_ < known_.size(); ++latest_) {
    if (known_[latest_].is(ballot, mask)) return known_[latest_].part;
  }
  Membership members(members_.ranks(), false);
  int position = 0;
  for (const int rank : members_.members()) {
    const int branch = ballot.branch_of(position++);
    const bool in = mask ? (mask[branch / 64] >> (branch % 64) & 1) != 0 : branch == ballot.mine;
    if (in) members.add(rank);
  }
  Set* part = members == members_ ? this : table_.intern(std::move(members));
  Known division{ballot.first, mask, part, ballot.bits, ballot.mine, {}};
  if (ballot.wide) division.votes = ballot.votes;
  if (known_.size() < remembered) {
    known_.push_back(std::move(division));
  } else {
    latest_ = next_++ % remembered;
    known_[latest_] = std::move(division);
  }
  return part;
}

Set* SetTable::intern(Membership members) {
  const std::uint64_t id = members.hash();
  const auto [from, to] = sets_.equal_range(id);
  for (auto it = from; it != to; ++it) {
    if (it->second->members() == members) return it->second.get();
  }
  return sets_.emplace(id, std::make_unique<Set>(*this, std::move(members), me_))->second.get();
}

[[gnu::hot]] Set* Subset::derive() {
  if (!ballot_->complete) return nullptr;
  known_ = ballot_->voters->part(*ballot_, mask_);
  ballot_.reset();
  return known_;
}

void BallotRef::destroy(Ballot* ballot) { delete ballot; }

void append_bits(std::vector<std::uint64_t>& to, std::size_t* length, const std::uint64_t* from,
                 std::size_t first, std::size_t count) {
  while (count > 0) {
    const std::size_t in = first % 64, out = *length % 64;
    std::size_t n = 64 - (in > out ? in : out);
    if (n > count) n = count;
    const std::uint64_t mask = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    const std::uint64_t bits = from[first / 64] >> in & mask;
    if (out == 0) to.push_back(0);
    to[*length / 64] |= bits << out;
    *length += n;
    first += n;
    count -= n;
  }
}

}  // namespace lapwing::sets
