// SPDX-License-Identifier: Apache-2.0
#include "sets/votes/votes.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lapwing::sets {

void Votes::start(std::uint64_t comm, Ballot& ballot) {
  Set& set = *ballot.voters;
  const Key key{comm, set.id(), set.ballots++};
  const std::uint64_t vote = static_cast<std::uint64_t>(ballot.mine);
  Exchange& exchange = open_[key];
  exchange.ballot = BallotRef(&ballot);
  append_bits(exchange.have, &exchange.length, &vote, 0, static_cast<std::size_t>(ballot.bits));
  exchange.held = 1;
  advance(key, exchange);
}

void Votes::arrived(const void* data, std::size_t size) {
  Head head;
  std::memcpy(&head, data, sizeof head);
  const Key key{head.comm, head.set, head.sequence};
  Exchange& exchange = open_[key];
  Early early{static_cast<std::uint32_t>(head.round),
              std::vector<std::uint64_t>((size - sizeof head + 7) / 8)};
  std::memcpy(early.bits.data(), static_cast<const char*>(data) + sizeof head, size - sizeof head);
  exchange.early.push_back(std::move(early));
  if (exchange.ballot) advance(key, exchange);
}

void Votes::advance(const Key& key, Exchange& exchange) {
  const Ballot& ballot = *exchange.ballot;
  const Set& set = *ballot.voters;
  const int voters = set.size();
  const auto bits = static_cast<std::size_t>(ballot.bits);
  for (;;) {
    // Round r tells those at a distance of 2^r below the votes that start here.
    for (int distance; (distance = 1 << exchange.sent) < voters;) {
      const int many = std::min(distance, voters - distance);
      if (exchange.held < many) break;
      const std::size_t bytes = (static_cast<std::size_t>(many) * bits + 7) / 8;
      const Head head{key.comm, key.set, key.sequence, exchange.sent};
      letter_.resize(sizeof head + bytes);
      std::memcpy(letter_.data(), &head, sizeof head);
      std::memcpy(letter_.data() + sizeof head, exchange.have.data(), bytes);
      ++exchange.sent;
      send_(key.comm, set, (set.mine() - distance + voters) % voters, letter_.data(), letter_.size());
    }
    if (exchange.held >= voters) break;
    // The votes that this process holds double with each round's message, in order.
    const auto next = std::find_if(exchange.early.begin(), exchange.early.end(),
                                   [&](const Early& e) { return 1 << e.round == exchange.held; });
    if (next == exchange.early.end()) break;
    const int many = std::min(exchange.held, voters - exchange.held);
    append_bits(exchange.have, &exchange.length, next->bits.data(), 0, static_cast<std::size_t>(many) * bits);
    exchange.held += many;
    exchange.early.erase(next);
  }
  const bool owes = 1 << exchange.sent < voters;
  const int more = static_cast<int>(owes) - static_cast<int>(exchange.owes);
  owed_ += more;
  if (more != 0) owed_anywhere.fetch_add(more, std::memory_order_relaxed);
  exchange.owes = owes;
  if (exchange.held < voters) return;
  finish(exchange);
  open_.erase(key);
}

void Votes::finish(Exchange& exchange) {
  Ballot& ballot = *exchange.ballot;
  const auto voters = static_cast<std::size_t>(ballot.voters->size());
  const auto mine = static_cast<std::size_t>(ballot.voters->mine());
  const auto bits = static_cast<std::size_t>(ballot.bits);
  std::size_t length = 0;
  std::vector<std::uint64_t> votes;
  append_bits(votes, &length, exchange.have.data(), (voters - mine) * bits, mine * bits);
  append_bits(votes, &length, exchange.have.data(), 0, (voters - mine) * bits);
  ballot.complete_with(std::move(votes));
}

}  // namespace lapwing::sets
