// SPDX-License-Identifier: Apache-2.0
// The messages of a call, seen from all of its processes at once: each that leaves is one that comes, and
// each block that MPI promises reaches its process.
#include "transfer/collectives/lowering.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace {

using lapwing::transfer::Blocks;
using lapwing::transfer::Collective;
using lapwing::transfer::CollectiveArguments;
using lapwing::transfer::lower;
using lapwing::transfer::Lowering;
using lapwing::transfer::shape_of;

constexpr Collective all_kinds[] = {Collective::alltoall,   Collective::alltoallv, Collective::allgather,
                                    Collective::allgatherv, Collective::gather,    Collective::gatherv,
                                    Collective::scatter,    Collective::scatterv,  Collective::bcast};

// Processes have as many elements as their number says, and the first has none; blocks do not touch.
struct Process {
  Process(Collective kind, int rank, int size, int root) {
    const auto shape = shape_of(kind);
    const auto n = static_cast<std::size_t>(size);
    memory.resize(40 * n * n);
    for (int i = 0; i < size; ++i) {
      places.push_back(2 * i * size);
      // A block counts by the process that gives it, or by the one that gets it where the root gives all.
      out_counts.push_back(shape.from_root ? i : rank);
      in_counts.push_back(shape.from_root ? rank : i);
    }
    char* const out = memory.data();
    char* const in = out + memory.size() / 2;
    arguments.root = root;
    arguments.out = shape.one_out ? Blocks{out, MPI_INT, rank}
                                  : Blocks{out, MPI_INT, 0, out_counts.data(), places.data()};
    arguments.in =
        shape.one_in ? Blocks{in, MPI_INT, rank} : Blocks{in, MPI_INT, 0, in_counts.data(), places.data()};
    if (kind == Collective::bcast) arguments.out = arguments.in = Blocks{in, MPI_INT, 5};
  }
  std::vector<char> memory;
  std::vector<int> places, out_counts, in_counts;
  CollectiveArguments arguments;
};

void check(Collective kind, int size, int root) {
  std::map<std::pair<int, int>, std::size_t> leaving, coming;
  std::vector<int> parents(static_cast<std::size_t>(size), -1);
  for (int rank = 0; rank < size; ++rank) {
    const Process process(kind, rank, size, root);
    const auto lowered = lower(kind, process.arguments, rank, size);
    ASSERT_TRUE(lowered);
    for (const auto& [peer, block] : lowered->leaves) leaving[{rank, peer}] += block.bytes;
    for (const auto& [peer, block] : lowered->comes) {
      coming[{peer, rank}] += block.bytes;
      parents[static_cast<std::size_t>(rank)] = peer;
    }
    EXPECT_EQ(leaving.count({rank, rank}) + coming.count({rank, rank}), 0u);
  }
  EXPECT_EQ(leaving, coming);
  const auto shape = shape_of(kind);
  for (int from = 0; from < size && !shape.by_tree; ++from)
    for (int to = 0; to < size; ++to) {
      const bool wanted = from != to && (!shape.from_root || from == root) && (!shape.to_root || to == root);
      const auto elements = static_cast<std::size_t>(shape.from_root ? to : from);
      const auto found = coming.find({from, to});
      EXPECT_EQ(found == coming.end() ? 0 : found->second, wanted ? 4 * elements : 0) << from << " to " << to;
    }
  // Each process of the tree hears it once, from one that has heard it from the root.
  for (int rank = 0; rank < size && shape.by_tree; ++rank) {
    int steps = 0;
    for (int at = rank; at != root && steps <= size; ++steps) at = parents[static_cast<std::size_t>(at)];
    EXPECT_LE(steps, 6) << rank;
  }
}

TEST(Lowering, MessagesMeet) {
  for (const Collective kind : all_kinds)
    for (const int size : {1, 2, 3, 4, 7, 16, 33})
      for (const int root : {0, size / 2, size - 1}) check(kind, size, root);
}

TEST(Lowering, InPlaceIsTheOwnShareOfAll) {
  const int size = 4, rank = 2;
  for (const Collective kind : {Collective::allgatherv, Collective::gatherv}) {
    Process process(kind, rank, size, rank);
    const char* const in = static_cast<const char*>(process.arguments.in.buffer);
    process.arguments.out = {MPI_IN_PLACE, MPI_DATATYPE_NULL, -1};
    const auto lowered = lower(kind, process.arguments, rank, size);
    ASSERT_TRUE(lowered);
    EXPECT_FALSE(lowered->keeps);
    for (const auto& message : lowered->leaves) EXPECT_EQ(message.block.buffer, in + 4 * 2 * rank * size);
    EXPECT_EQ(lowered->leaves.size(), kind == Collective::gatherv ? 0u : 3u);
  }
  Process process(Collective::scatterv, rank, size, rank);
  process.arguments.in = {MPI_IN_PLACE, MPI_DATATYPE_NULL, -1};
  const auto lowered = lower(Collective::scatterv, process.arguments, rank, size);
  ASSERT_TRUE(lowered);
  EXPECT_FALSE(lowered->keeps);
  EXPECT_EQ(lowered->bytes_leaving(), 4u * (1 + 3));
}

TEST(Lowering, SeesBlocksInOnePlace) {
  const int size = 4, rank = 2;
  Process process(Collective::allgatherv, rank, size, 0);
  EXPECT_FALSE(lower(Collective::allgatherv, process.arguments, rank, size)->coming_overlap());
  const int place = process.places[1];
  process.places[1] = process.places[3] + 2;  // the last of another's three elements
  EXPECT_TRUE(lower(Collective::allgatherv, process.arguments, rank, size)->coming_overlap());
  process.places[1] = process.places[2] + 1;  // of those that stay
  EXPECT_TRUE(lower(Collective::allgatherv, process.arguments, rank, size)->coming_overlap());
  process.places[1] = process.places[2] + 2;
  EXPECT_FALSE(lower(Collective::allgatherv, process.arguments, rank, size)->coming_overlap());
  process.places[0] = place;  // an empty one
  EXPECT_FALSE(lower(Collective::allgatherv, process.arguments, rank, size)->coming_overlap());
}

TEST(Lowering, MPIsRefusalsAreMPIs) {
  const int size = 4;
  for (const Collective kind : all_kinds) {
    const auto shape = shape_of(kind);
    const auto refused = [&](int rank, auto change) {
      Process process(kind, rank, size, 1);
      change(process);
      return !lower(kind, process.arguments, rank, size);
    };
    EXPECT_FALSE(refused(1, [](Process&) {}));
    const auto no_type = [](Process& p) { p.arguments.out.type = p.arguments.in.type = MPI_DATATYPE_NULL; };
    EXPECT_TRUE(refused(0, no_type));
    const auto negative = [](Process& p) {
      p.arguments.in.each = p.arguments.out.each = -1;
      std::fill(p.out_counts.begin(), p.out_counts.end(), -1);
      std::fill(p.in_counts.begin(), p.in_counts.end(), -1);
    };
    EXPECT_TRUE(refused(1, negative));
    // Of arguments that mean nothing here nothing is asked.
    const auto absent = [&](Process& p) {
      if (shape.to_root) p.arguments.in = {nullptr, MPI_DATATYPE_NULL, -1};
      if (shape.from_root && !shape.by_tree) p.arguments.out = {nullptr, MPI_DATATYPE_NULL, -1};
    };
    EXPECT_FALSE(refused(0, absent));
    if (!shape.from_root && !shape.to_root) continue;
    EXPECT_TRUE(refused(0, [](Process& p) { p.arguments.root = size; }));
    EXPECT_TRUE(refused(0, [](Process& p) { p.arguments.root = -1; }));
    EXPECT_TRUE(
        refused(0, [](Process& p) { p.arguments.out.buffer = p.arguments.in.buffer = MPI_IN_PLACE; }));
  }
}

}  // namespace
