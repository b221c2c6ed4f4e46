// SPDX-License-Identifier: Apache-2.0
// Non-blocking collectives, and an exchange between two: started, computed beside, ended, read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/chain.hpp"

namespace lapwing::bench::collectives {

/// One process and its data: blocks of `words` elements.
struct Job {
  int rank, size, words;
  std::vector<std::uint64_t> out, in;
  std::vector<int> counts, places;  ///< for MPI_Ialltoallv
  chain::Work work;
};

struct Kind {
  const char* name;
  /// Starts, computes `steps` operations that touch no memory, ends, reads all that was received; returns its
  /// scan.
  std::uint64_t (*once)(Job& job, std::uint64_t steps);
  /// How many blocks a rank sends and receives.
  int (*out_blocks)(int rank, int size);
  int (*in_blocks)(int rank, int size);
  /// Of whom and which block it is that arrives as block `block`; from -1: the sum of all ranks' first
  /// blocks.
  struct Origin {
    int from, block;
  };
  Origin (*origin)(int block, int rank);
};

const std::vector<Kind>& kinds();

}  // namespace lapwing::bench::collectives
