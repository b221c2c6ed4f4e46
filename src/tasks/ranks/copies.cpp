// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/copies.hpp"

namespace lapwing::tasks::ranks {

void Copies::settle(int owner) {
  owner_ = owner;
  have_.clear();
  have_.add(owner);
  holders_.assign(1, owner);
}

int Copies::source(const CopyRules& rules) const {
  const auto count = holders_.size();
  if (rules.tree_from == 0 || count < static_cast<std::size_t>(rules.tree_from)) return owner_;
  return holders_[(count - 1) / 2];
}

std::optional<Move> Copies::read(int rank, const CopyRules& rules) {
  if (!rules.replicate) return write(rank, rules);
  if (has(rank)) return std::nullopt;
  const Move move{source(rules), rank, version_};
  have_.add(rank);
  holders_.push_back(rank);
  return move;
}

std::optional<Move> Copies::write(int rank, const CopyRules& rules) {
  std::optional<Move> move;
  if (!has(rank)) move = Move{source(rules), rank, version_};
  replace(rank);
  return move;
}

void Copies::replace(int rank) {
  ++version_;
  settle(rank);
}

}  // namespace lapwing::tasks::ranks
