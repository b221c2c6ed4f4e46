// SPDX-License-Identifier: Apache-2.0
#include "sets/ballot.hpp"

#include <utility>

namespace lapwing::sets {
namespace {

constexpr std::size_t remembered = 8;

}  // namespace

[[gnu::hot]] Set* Set::part(const Ballot& ballot, const unsigned long long* mask) {
  for (const Known& k : known_) {
    if (k.first == ballot.votes.front() && k.mask == mask && k.mine == ballot.mine && k.bits == ballot.bits &&
        (ballot.votes.size() == 1 || k.votes == ballot.votes))
      return k.part;
  }
  Membership members(members_.ranks(), false);
  int position = 0;
  for (const int rank : members_.members()) {
    const int branch = ballot.branch_of(position++);
    const bool in = mask ? (mask[branch / 64] >> (branch % 64) & 1) != 0 : branch == ballot.mine;
    if (in) members.add(rank);
  }
  Set* part = members == members_ ? this : table_.intern(std::move(members));
  Known division{ballot.votes.front(), mask, ballot.bits, ballot.mine, part, ballot.votes};
  if (known_.size() < remembered) {
    known_.push_back(std::move(division));
  } else {
    known_[next_++ % remembered] = std::move(division);
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

[[gnu::hot]] Set* Subset::get() {
  if (known_ || !ballot_ || !ballot_->complete) return known_;
  known_ = ballot_->voters->part(*ballot_, mask_);
  ballot_.reset();
  return known_;
}

[[gnu::hot]] void append_bits(std::vector<std::uint64_t>& to, std::size_t* length, const std::uint64_t* from,
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
