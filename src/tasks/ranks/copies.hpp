// SPDX-License-Identifier: Apache-2.0
// Where an object is: its owner, which is the rank that wrote it last, its
// version, and who has a copy of that version. A decision, without messages:
// the ranks and the replay on simulated processors ask the same code.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tasks/ranks/rank_set.hpp"

namespace lapwing::tasks::ranks {

/// An object's version that must travel.
struct Move {
  int from;
  int to;
  std::uint32_t version;
};

struct CopyRules {
  bool replicate = true;  // off: a reader takes the only copy away
  /// Copies from which later ones are made in turn, a tree, once there are this
  /// many; 0: always from the owner.
  int tree_from = 4;
};

class Copies {
 public:
  explicit Copies(int owner = 0) { settle(owner); }

  /// A rank is going to read (and write) the object, in the order of the
  /// program; what must travel for that.
  std::optional<Move> read(int rank, const CopyRules& rules);
  std::optional<Move> write(int rank, const CopyRules& rules);
  /// The value that a rank made without having looked at the old one.
  void replace(int rank);

  int owner() const { return owner_; }
  std::uint32_t version() const { return version_; }
  bool has(int rank) const { return have_.has(rank); }
  /// In the order in which they got it, the owner first.
  const std::vector<int>& holders() const { return holders_; }

 private:
  void settle(int owner);
  int source(const CopyRules& rules) const;

  int owner_ = 0;
  std::uint32_t version_ = 0;
  RankSet have_;
  std::vector<int> holders_;
};

}  // namespace lapwing::tasks::ranks
