// SPDX-License-Identifier: Apache-2.0
// Random programs for the model test: functions as control-flow graphs, with
// splits and merges put where the compiler puts them.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "lapwing/compiled_sets.h"

namespace model {

using Random = std::mt19937_64;

inline int below(Random& random, int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); }

struct Block {
  enum Kind { nothing, collective, call } kind = nothing;
  int callee = 0;
  std::vector<int> next;    ///< distinct; none returns
  int way_out = 0;          ///< the successor on a shortest path to a return
  std::uint64_t after = 0;  ///< the blocks that post-dominate this one, itself included
};

/// What the compiler would emit for one branch.
struct Split {
  lapwing_split_site site{};
  std::vector<lapwing_split_merge> merges;
  std::vector<unsigned long long> masks;
};

class Function {
 public:
  /// `functions` of them may be called; a structured or an unstructured graph.
  Function(Random& random, int functions, bool structured);

  const std::vector<Block>& blocks() const { return blocks_; }
  const Split* split_at(int block) const { return splits_[static_cast<std::size_t>(block)].get(); }
  const lapwing_merge_site* head_of(int block) const { return &sites_[static_cast<std::size_t>(block)]; }
  bool is_merge(int block) const { return merge_[static_cast<std::size_t>(block)]; }
  /// The closest block that post-dominates both; -1 if only the end does.
  int meet(int a, int b) const { return closest(block(a).after & block(b).after); }

 private:
  const Block& block(int b) const { return blocks_[static_cast<std::size_t>(b)]; }
  void structured(Random& random);
  int build(Random& random, int depth, int follow, std::vector<int>& loops);
  void unstructured(Random& random);
  int add();
  void fill(Random& random, int functions);
  void connect_all_to_an_end();
  void find_post_dominators();
  int closest(std::uint64_t common) const;
  bool communicates(int block, int meeting) const;
  void insert();

  std::vector<Block> blocks_;
  std::vector<lapwing_merge_site> sites_;
  std::vector<bool> merge_;
  std::vector<std::unique_ptr<Split>> splits_;
};

}  // namespace model
