// SPDX-License-Identifier: Apache-2.0
// The part of one process in finding out who shares which elements, where index lists are among the
// distributions. Each process tells the directories what it holds, and hears from them with whom it shares
// that: two rounds of words, which the caller carries. No MPI here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arrays/schedules/directory.hpp"
#include "arrays/schedules/index_list.hpp"
#include "arrays/schedules/index_part.hpp"
#include "arrays/schedules/schedule.hpp"

namespace lapwing::arrays {

/// The dimensions of which one or both are distributed by index lists. `to` has its dimensions filled in.
std::vector<MatchedDimensions> list_dimensions(const Distribution& source, const Distribution& destination,
                                               const Section& to);

class Rendezvous {
 public:
  /// `source_rank` and `destination_rank` are this process' in the two tasks, -1 where it is in none. There
  /// are `parties`, each of which is a directory too; this one is number `me`.
  Rendezvous(const Distribution& source, const Section& from, int source_rank,
             const Distribution& destination, const Section& to, int destination_rank, int parties, int me);

  /// For directory `number`: this process' part of its block.
  [[nodiscard]] Words question(int number) const;
  /// The question of party `number` to this directory.
  void hear(int number, std::span<const std::int64_t> words);
  /// After it has heard all: the answer to party `number`.
  [[nodiscard]] Words answer(int number);
  /// The answer of a directory; in ascending order of directories.
  void learn(std::span<const std::int64_t> words);
  /// After it has learned from all: what this process sends, and what it receives.
  KnownSets sent() { return known(Directory::source); }
  KnownSets received() { return known(Directory::destination); }

 private:
  struct Own {
    bool there = false;
    int coordinate = 0;
    std::int64_t step = 1;
    IndexPart part;
    std::map<int, Indices> shared;  ///< with each coordinate of the other side
  };
  struct Pair {
    MatchedDimensions dimensions;
    std::int64_t count = 0;
    Own own[2];
    Directory directory;
    std::vector<int> asks[2];  ///< by party: its coordinate, -1 where it does not ask
  };

  static Own own_part(const Distribution& distribution, const Section& section, int dimension, int rank);
  KnownSets known(Directory::Side side);

  int parties_, me_;
  bool met_ = false;
  std::vector<Pair> pairs_;
};

}  // namespace lapwing::arrays
