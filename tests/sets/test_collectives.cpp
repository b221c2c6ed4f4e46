// SPDX-License-Identifier: Apache-2.0
// Collectives on sets: every one of them, blocking and not, against what the
// same call gives on a communicator that was made by hand, with blocks at the
// ranks of the parent.
#include <gtest/gtest.h>
#include <mpi.h>

#include <numeric>
#include <vector>

#include "lapwing/sets.h"
#include "lapwing/sets.hpp"

namespace {

class Collectives : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    // Ways to divide: odd and even; the first and all others; three; nobody.
    const int way = GetParam();
    // More ranks than cores take long; one division of many is enough there.
    if (size > 4 && way != 2) GTEST_SKIP() << "one division of many ranks is enough";
    branch = way == 0 ? rank % 2 : way == 1 ? rank > 0 : way == 2 ? rank * 7 % 3 : 0;
    lapwing_split(MPI_COMM_WORLD, 3, branch);
    MPI_Comm_split(MPI_COMM_WORLD, branch, rank, &by_hand);
    MPI_Comm_size(by_hand, &n);
    MPI_Comm_rank(by_hand, &me);
    for (int r = 0; r < size; ++r) {
      const int b = way == 0 ? r % 2 : way == 1 ? r > 0 : way == 2 ? r * 7 % 3 : 0;
      if (b == branch) members.push_back(r);
    }
  }
  void TearDown() override {
    if (by_hand == MPI_COMM_NULL) return;
    lapwing_merge(MPI_COMM_WORLD);
    MPI_Comm_free(&by_hand);
    EXPECT_EQ(lapwing_set_size(MPI_COMM_WORLD), size);
  }
  int first() const { return members.front(); }
  bool in(int r) const { return std::find(members.begin(), members.end(), r) != members.end(); }

  int rank = 0, size = 0, branch = 0, n = 0, me = 0;
  MPI_Comm by_hand = MPI_COMM_NULL;
  std::vector<int> members;
};

#define ON_SET(NAME, ...) (lapwing_on_set(), MPI_##NAME(__VA_ARGS__))
#define LATER(NAME, ...)                               \
  do {                                                 \
    MPI_Request request;                               \
    lapwing_on_set();                                  \
    MPI_##NAME(__VA_ARGS__, MPI_COMM_WORLD, &request); \
    MPI_Wait(&request, MPI_STATUS_IGNORE);             \
  } while (0)

TEST_P(Collectives, WhoIsThere) {
  EXPECT_EQ(lapwing_set_size(MPI_COMM_WORLD), n);
  EXPECT_EQ(lapwing_set_rank(MPI_COMM_WORLD), me);
  EXPECT_EQ(lapwing::set_members(MPI_COMM_WORLD), members);
  int result = MPI_UNEQUAL;
  MPI_Comm_compare(lapwing_set_comm(MPI_COMM_WORLD), by_hand, &result);
  EXPECT_TRUE(result == MPI_CONGRUENT);
  ON_SET(Barrier, MPI_COMM_WORLD);
}

TEST_P(Collectives, RootsKeepTheirNumbers) {
  for (const int root : members) {
    int x = rank == root ? 100 + root : -1;
    ON_SET(Bcast, &x, 1, MPI_INT, root, MPI_COMM_WORLD);
    EXPECT_EQ(x, 100 + root);
    x = rank == root ? 200 + root : -1;
    LATER(Ibcast, &x, 1, MPI_INT, root);
    EXPECT_EQ(x, 200 + root);
    int sum = -1, expected = std::accumulate(members.begin(), members.end(), 0);
    ON_SET(Reduce, &rank, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
    EXPECT_EQ(sum, rank == root ? expected : -1);
    sum = -1;
    LATER(Ireduce, &rank, &sum, 1, MPI_INT, MPI_SUM, root);
    EXPECT_EQ(sum, rank == root ? expected : -1);
  }
}

TEST_P(Collectives, Reductions) {
  const double mine = 0.1 + rank * 1e-3;
  double on_set = 0, expected = 0;
  MPI_Allreduce(&mine, &expected, 1, MPI_DOUBLE, MPI_SUM, by_hand);
  ON_SET(Allreduce, &mine, &on_set, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(on_set, expected);
  double in_place = mine;
  ON_SET(Allreduce, MPI_IN_PLACE, &in_place, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(in_place, expected);
  in_place = mine;
  LATER(Iallreduce, MPI_IN_PLACE, &in_place, 1, MPI_DOUBLE, MPI_SUM);
  EXPECT_DOUBLE_EQ(in_place, expected);
  int up = rank, scanned = -1;
  ON_SET(Scan, &up, &scanned, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(scanned, std::accumulate(members.begin(), members.begin() + me + 1, 0));
  scanned = -1;
  LATER(Iexscan, &up, &scanned, 1, MPI_INT, MPI_SUM);
  if (me > 0) {
    EXPECT_EQ(scanned, std::accumulate(members.begin(), members.begin() + me, 0));
  }
}

TEST_P(Collectives, GatherPutsBlocksAtTheRanks) {
  const int root = members.back();
  const int mine[2] = {rank, rank + 1000};
  for (int immediate = 0; immediate < 2; ++immediate) {
    std::vector<int> all(static_cast<std::size_t>(2 * size), -7);
    if (immediate) {
      LATER(Igather, mine, 2, MPI_INT, all.data(), 2, MPI_INT, root);
    } else {
      ON_SET(Gather, mine, 2, MPI_INT, all.data(), 2, MPI_INT, root, MPI_COMM_WORLD);
    }
    for (int r = 0; r < size; ++r) {
      const auto at = static_cast<std::size_t>(2 * r);
      EXPECT_EQ(all[at], rank == root && in(r) ? r : -7);
      EXPECT_EQ(all[at + 1], rank == root && in(r) ? r + 1000 : -7);
    }
  }
  std::vector<int> all(static_cast<std::size_t>(size), -7);
  if (rank == root) all[static_cast<std::size_t>(rank)] = rank;
  ON_SET(Gather, rank == root ? MPI_IN_PLACE : &rank, 1, MPI_INT, all.data(), 1, MPI_INT, root,
         MPI_COMM_WORLD);
  for (int r = 0; r < size && rank == root; ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], in(r) ? r : -7);
}

TEST_P(Collectives, BlocksOfDifferentSizes) {
  // Rank r has r % 3 numbers, which stand at 4 r; some have none.
  const auto room = static_cast<std::size_t>(4 * size);
  std::vector<int> counts, at;
  for (int r = 0; r < size; ++r) {
    counts.push_back(r % 3);
    at.push_back(4 * r);
  }
  const std::vector<int> mine(3, rank);
  auto expect = [&](const std::vector<int>& all) {
    for (int r = 0; r < size; ++r) {
      for (int i = 0; i < 4; ++i)
        EXPECT_EQ(all[static_cast<std::size_t>(4 * r + i)], in(r) && i < r % 3 ? r : -7) << r << " " << i;
    }
  };
  for (int immediate = 0; immediate < 2; ++immediate) {
    std::vector<int> all(room, -7), some(room, -7);
    if (immediate) {
      LATER(Iallgatherv, mine.data(), rank % 3, MPI_INT, all.data(), counts.data(), at.data(), MPI_INT);
      LATER(Igatherv, mine.data(), rank % 3, MPI_INT, some.data(), counts.data(), at.data(), MPI_INT,
            first());
    } else {
      ON_SET(Allgatherv, mine.data(), rank % 3, MPI_INT, all.data(), counts.data(), at.data(), MPI_INT,
             MPI_COMM_WORLD);
      ON_SET(Gatherv, mine.data(), rank % 3, MPI_INT, some.data(), counts.data(), at.data(), MPI_INT, first(),
             MPI_COMM_WORLD);
    }
    expect(all);
    if (rank == first()) expect(some);
    std::vector<int> out(room, -7), in_mine(4, -7);
    for (int r = 0; r < size; ++r) std::fill_n(out.begin() + 4 * r, 3, 10 * r);
    if (immediate) {
      LATER(Iscatterv, out.data(), counts.data(), at.data(), MPI_INT, in_mine.data(), rank % 3, MPI_INT,
            first());
    } else {
      ON_SET(Scatterv, out.data(), counts.data(), at.data(), MPI_INT, in_mine.data(), rank % 3, MPI_INT,
             first(), MPI_COMM_WORLD);
    }
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(in_mine[static_cast<std::size_t>(i)], i < rank % 3 ? 10 * rank : -7);
  }
}

TEST_P(Collectives, ScatterAndAllgather) {
  std::vector<int> out(static_cast<std::size_t>(size));
  std::iota(out.begin(), out.end(), 50);
  int mine = -1;
  ON_SET(Scatter, out.data(), 1, MPI_INT, &mine, 1, MPI_INT, first(), MPI_COMM_WORLD);
  EXPECT_EQ(mine, 50 + rank);
  for (int way = 0; way < 3; ++way) {
    std::vector<int> all(static_cast<std::size_t>(size), -7);
    all[static_cast<std::size_t>(rank)] = rank;
    if (way == 0) ON_SET(Allgather, &rank, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
    if (way == 1) ON_SET(Allgather, MPI_IN_PLACE, 0, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
    if (way == 2) LATER(Iallgather, &rank, 1, MPI_INT, all.data(), 1, MPI_INT);
    for (int r = 0; r < size; ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], in(r) ? r : -7);
  }
}

// Every second double of a matrix: extents that differ from sizes.
TEST_P(Collectives, DerivedTypesWithExtents) {
  MPI_Datatype pair, spaced;
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &pair);
  MPI_Type_create_resized(pair, 0, 5 * sizeof(double), &spaced);
  MPI_Type_commit(&spaced);
  std::vector<double> all(static_cast<std::size_t>(5 * size), -7);
  const double mine[2] = {rank + 0.5, rank + 0.25};
  ON_SET(Allgather, mine, 2, MPI_DOUBLE, all.data(), 1, spaced, MPI_COMM_WORLD);
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < 5; ++i) {
      const double expected = in(r) && i == 0 ? r + 0.5 : in(r) && i == 2 ? r + 0.25 : -7;
      EXPECT_EQ(all[static_cast<std::size_t>(5 * r + i)], expected);
    }
  }
  MPI_Type_free(&pair);
  MPI_Type_free(&spaced);
}

TEST_P(Collectives, Alltoall) {
  const auto count = static_cast<std::size_t>(size);
  std::vector<int> out(count), ones(count, 1), at(count), bytes_at(count);
  std::vector<MPI_Datatype> types(count, MPI_INT);
  for (int r = 0; r < size; ++r) {
    out[static_cast<std::size_t>(r)] = 100 * rank + r;
    at[static_cast<std::size_t>(r)] = r;
    bytes_at[static_cast<std::size_t>(r)] = 4 * r;
  }
  for (int way = 0; way < 6; ++way) {
    std::vector<int> got(count, -7);
    if (way == 0) ON_SET(Alltoall, out.data(), 1, MPI_INT, got.data(), 1, MPI_INT, MPI_COMM_WORLD);
    if (way == 1) LATER(Ialltoall, out.data(), 1, MPI_INT, got.data(), 1, MPI_INT);
    if (way == 2)
      ON_SET(Alltoallv, out.data(), ones.data(), at.data(), MPI_INT, got.data(), ones.data(), at.data(),
             MPI_INT, MPI_COMM_WORLD);
    if (way == 3)
      LATER(Ialltoallv, out.data(), ones.data(), at.data(), MPI_INT, got.data(), ones.data(), at.data(),
            MPI_INT);
    if (way == 4)
      LATER(Ialltoallw, out.data(), ones.data(), bytes_at.data(), types.data(), got.data(), ones.data(),
            bytes_at.data(), types.data());
    if (way == 5) {
      for (const int r : members) got[static_cast<std::size_t>(r)] = out[static_cast<std::size_t>(r)];
      ON_SET(Alltoall, MPI_IN_PLACE, 0, MPI_INT, got.data(), 1, MPI_INT, MPI_COMM_WORLD);
    }
    for (int r = 0; r < size; ++r)
      EXPECT_EQ(got[static_cast<std::size_t>(r)], in(r) ? 100 * r + rank : -7) << "way " << way;
  }
}

TEST_P(Collectives, ReduceScatter) {
  std::vector<int> counts, input;
  for (int r = 0; r < size; ++r) {
    counts.push_back(1 + r % 2);
    input.insert(input.end(), static_cast<std::size_t>(1 + r % 2), 10 * r + rank);
  }
  const int ranks = std::accumulate(members.begin(), members.end(), 0);
  for (int way = 0; way < 3; ++way) {
    std::vector<int> got(input.size(), -7);
    if (way == 0)
      ON_SET(Reduce_scatter, input.data(), got.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (way == 1) LATER(Ireduce_scatter, input.data(), got.data(), counts.data(), MPI_INT, MPI_SUM);
    if (way == 2) {
      got = input;
      ON_SET(Reduce_scatter, MPI_IN_PLACE, got.data(), counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 1 + rank % 2; ++i)
      EXPECT_EQ(got[static_cast<std::size_t>(i)], 10 * rank * n + ranks) << "way " << way;
  }
  std::vector<int> blocks;
  for (int r = 0; r < size; ++r) blocks.push_back(10 * r + rank);
  int one = -7;
  ON_SET(Reduce_scatter_block, blocks.data(), &one, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(one, 10 * rank * n + ranks);
}

TEST_P(Collectives, NewCommunicatorsAreTheSets) {
  MPI_Comm comm;
  int result = MPI_UNEQUAL, count = 0;
  ON_SET(Comm_dup, MPI_COMM_WORLD, &comm);
  MPI_Comm_compare(comm, by_hand, &result);
  EXPECT_EQ(result, MPI_CONGRUENT);
  MPI_Comm_free(&comm);
  ON_SET(Comm_split, MPI_COMM_WORLD, me % 2, -me, &comm);
  MPI_Comm_size(comm, &count);
  EXPECT_EQ(count, me % 2 ? n / 2 : (n + 1) / 2);
  MPI_Comm_free(&comm);
}

TEST_P(Collectives, SetsWithinSets) {
  lapwing_split(MPI_COMM_WORLD, 2, me % 2);
  std::vector<int> expected;
  for (int i = me % 2; i < n; i += 2) expected.push_back(members[static_cast<std::size_t>(i)]);
  int sum = 0;
  ON_SET(Allreduce, &rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(sum, std::accumulate(expected.begin(), expected.end(), 0));
  EXPECT_EQ(lapwing::set_members(MPI_COMM_WORLD), expected);
  const unsigned long long token = lapwing_set_token(MPI_COMM_WORLD);
  EXPECT_TRUE(lapwing_set_is_current(MPI_COMM_WORLD, token));
  lapwing_merge(MPI_COMM_WORLD);
  EXPECT_FALSE(lapwing_set_is_current(MPI_COMM_WORLD, token));
  EXPECT_EQ(lapwing::set_members(MPI_COMM_WORLD), members);
}

// Hundreds of splits that nobody asks about, then one that somebody does.
TEST_P(Collectives, VotesThatNobodyNeeds) {
  for (int i = 0; i < (size > 4 ? 50 : 300); ++i) {
    lapwing::SetScope outer(MPI_COMM_WORLD, 4, (me + i) % 4);
    if (i % 3 == rank % 3) lapwing::SetScope inner(MPI_COMM_WORLD, 2, rank % 2);
    if (i % 50 == 49) {
      int count = 0, one = 1;
      ON_SET(Allreduce, &one, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(count, lapwing_set_size(MPI_COMM_WORLD));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Divided, Collectives, testing::Values(0, 1, 2, 3));

}  // namespace
