// SPDX-License-Identifier: Apache-2.0
// Votes travel while point-to-point calls wait, at all settings of LAPWING_SPLIT,
// and what they cost grows with the logarithm of the number of processes.
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <vector>

#include "lapwing/compiled.h"
#include "lapwing/sets.h"
#include "lapwing/sets.hpp"

namespace {

int rank_of() {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
int size_of() {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

enum class Way { receive, wait, probe, wait_any, exchange, replace, matched, posted, pair, pair_copy };
constexpr Way by_mpi[] = {Way::receive, Way::wait, Way::probe, Way::wait_any, Way::exchange, Way::replace};
constexpr Way compiled[] = {Way::matched, Way::posted, Way::pair, Way::pair_copy};

bool exchanges(Way way) {
  return way == Way::exchange || way == Way::replace || way == Way::pair || way == Way::pair_copy;
}

// Rank 0 asks for its set, which needs all votes. The others pass these on from
// within a receive, which ends only afterwards; the last one's vote comes late.
void pass_on(Way way) {
  const int rank = rank_of(), size = size_of();
  if (rank == size - 1) usleep(100'000);
  lapwing::SetScope scope(MPI_COMM_WORLD, 2, rank == 0);
  int token = -1, mine = rank;
  if (rank == 0) {
    EXPECT_EQ(lapwing_set_size(MPI_COMM_WORLD), 1);
    for (int r = 1; r < size; ++r) {
      MPI_Send(&rank, 1, MPI_INT, r, 5, MPI_COMM_WORLD);
      if (!exchanges(way)) continue;
      MPI_Recv(&token, 1, MPI_INT, r, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(token, r);
    }
    return;
  }
  MPI_Request request;
  lapwing_token* sending = nullptr;
  MPI_Status status;
  switch (way) {
    case Way::receive:
      MPI_Recv(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      break;
    case Way::wait:
      MPI_Irecv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case Way::probe:
      MPI_Probe(0, 5, MPI_COMM_WORLD, &status);
      MPI_Recv(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      break;
    case Way::wait_any: {
      int index = 0;
      MPI_Irecv(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
      MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
      break;
    }
    case Way::exchange:
      MPI_Sendrecv(&mine, 1, MPI_INT, 0, 5, &token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &status);
      break;
    case Way::replace:
      token = mine;
      MPI_Sendrecv_replace(&token, 1, MPI_INT, 0, 5, 0, 5, MPI_COMM_WORLD, &status);
      break;
    case Way::matched:
      lapwing_wait(lapwing_start_recv_matched(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &status));
      break;
    case Way::posted:
      lapwing_wait(lapwing_post_recv(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &status));
      break;
    case Way::pair:
      sending = lapwing_pair_send(&mine, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
      lapwing_wait(lapwing_pair_recv(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &status));
      lapwing_wait(sending);
      break;
    case Way::pair_copy:
      token = mine;
      sending = lapwing_pair_copy(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
      lapwing_wait(lapwing_pair_recv_matched(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &status));
      lapwing_wait(sending);
  }
  EXPECT_EQ(token, 0);
}

TEST(Votes, PassOnWhileReceivesWait) {
  for (const Way way : by_mpi) {
    pass_on(way);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST(Votes, PassOnWhileCompiledReceivesWait) {
  for (const Way way : compiled) {
    pass_on(way);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// A rendezvous send waits for a receiver that first wants to know its set.
TEST(Votes, PassOnWhileSendsWait) {
  const int rank = rank_of(), size = size_of();
  std::vector<int> data(1 << 16, rank);
  lapwing::SetScope scope(MPI_COMM_WORLD, 2, rank % 2);
  if (rank % 2 == 1) {
    MPI_Ssend(data.data(), static_cast<int>(data.size()), MPI_INT, rank - 1, 6, MPI_COMM_WORLD);
  } else {
    EXPECT_EQ(lapwing_set_size(MPI_COMM_WORLD), (size + 1) / 2);
    if (rank + 1 < size) {
      MPI_Recv(data.data(), static_cast<int>(data.size()), MPI_INT, rank + 1, 6, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      EXPECT_EQ(data.back(), rank + 1);
    }
  }
}

TEST(Votes, PassOnWhileCompiledSendsWait) {
  const int rank = rank_of(), size = size_of(), count = 1 << 16;
  std::vector<int> data(count, rank);
  lapwing::SetScope scope(MPI_COMM_WORLD, 2, rank % 2);
  if (rank % 2 == 1) {
    lapwing_wait(lapwing_start_ssend(data.data(), count, MPI_INT, rank - 1, 6, MPI_COMM_WORLD));
  } else {
    EXPECT_EQ(lapwing_set_size(MPI_COMM_WORLD), (size + 1) / 2);
    if (rank + 1 < size) {
      MPI_Recv(data.data(), count, MPI_INT, rank + 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(data.back(), rank + 1);
    }
  }
}

// The inner vote can start only when the outer one is over; the receive waits for
// somebody who first wants to know the inner set.
void start_late() {
  const int rank = rank_of(), size = size_of();
  if (rank == size - 1) usleep(100'000);
  const lapwing::SetScope outer(MPI_COMM_WORLD, 2, rank == size - 1);
  if (rank == size - 1) return;
  const lapwing::SetScope inner(MPI_COMM_WORLD, 2, rank == 0);
  int token = rank;
  if (rank > 0) {
    MPI_Recv(&token, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(token, 0);
    return;
  }
  EXPECT_EQ(lapwing_set_size(MPI_COMM_WORLD), 1);
  for (int r = 1; r + 1 < size; ++r) MPI_Send(&token, 1, MPI_INT, r, 8, MPI_COMM_WORLD);
}

TEST(Votes, StartWhileReceivesWait) {
  start_late();
  MPI_Barrier(MPI_COMM_WORLD);
}

// A blocking collective on one communicator holds up nobody who votes on another:
// the last process votes only after that collective.
TEST(Votes, PassOnWhileCollectivesWait) {
  const int rank = rank_of(), size = size_of();
  MPI_Comm same;
  MPI_Comm_dup(MPI_COMM_WORLD, &same);
  for (int i = 0; i < 3; ++i) {
    if (rank == size - 1) MPI_Barrier(MPI_COMM_WORLD);
    lapwing_split(same, 2, rank % 2);
    lapwing_split(same, 2, rank / 2 % 2);
    if (rank != size - 1) MPI_Barrier(MPI_COMM_WORLD);
    int expected = 0;
    for (int r = 0; r < size; ++r) expected += r % 4 == rank % 4 ? 1 : 0;
    // Who knows its set early waits in MPI while others still need the votes that it passes on.
    if (rank > 0) {
      EXPECT_EQ(lapwing_set_size(same), expected);
    }
    lapwing_merge(same);
    lapwing_merge(same);
  }
  MPI_Comm_free(&same);
}

// A master that answers its workers one by one, while all count their set.
TEST(Votes, PointToPointNeverCompletesASplit) {
  const int rank = rank_of(), size = size_of();
  for (int round = 0; round < 10; ++round) {
    int token = round;
    if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // Nobody behind has come here yet.
    lapwing_split(MPI_COMM_WORLD, 3, (rank + round) % 3);
    lapwing_merge(MPI_COMM_WORLD);
    if (rank + 1 < size) MPI_Send(&token, 1, MPI_INT, rank + 1, 7, MPI_COMM_WORLD);
  }
  EXPECT_EQ(lapwing_set_size(MPI_COMM_WORLD), size);
}

// More than a board holds, before anybody reads one.
TEST(Votes, ManyAreUnderWay) {
  const int rank = rank_of(), size = size_of();
  for (const int late : {0, size - 1}) {
    if (rank == late) usleep(50'000);
    for (int i = 0; i < 150; ++i) {
      lapwing_split(MPI_COMM_WORLD, 3, (rank + i) % 3);
      lapwing_merge(MPI_COMM_WORLD);
    }
    const lapwing::SetScope scope(MPI_COMM_WORLD, 2, rank == late);
    EXPECT_EQ(lapwing_set_size(MPI_COMM_WORLD), rank == late ? 1 : size - 1);
    EXPECT_EQ(lapwing_set_rank(MPI_COMM_WORLD), rank == late ? 0 : rank - (rank > late));
  }
}

TEST(Votes, SeveralCommunicators) {
  const int rank = rank_of(), size = size_of();
  MPI_Comm same, half;
  MPI_Comm_dup(MPI_COMM_WORLD, &same);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  int half_size = 0;
  MPI_Comm_size(half, &half_size);
  for (int i = 0; i < (size > 4 ? 10 : 50); ++i) {
    lapwing_split(same, 2, rank < 1 + i % size);
    lapwing_split(MPI_COMM_WORLD, 2, (rank + i) % 2);
    lapwing_split(half, 2, rank / 2 == 0);
    const int expected = half_size == 1 ? 1 : rank / 2 == 0 ? 1 : half_size - 1;
    EXPECT_EQ(lapwing_set_size(half), expected);
    EXPECT_EQ(lapwing_set_size(same), rank < 1 + i % size ? 1 + i % size : size - 1 - i % size);
    EXPECT_EQ(lapwing_set_size(MPI_COMM_WORLD), (rank + i) % 2 == i % 2 ? (size + 1) / 2 : size / 2);
    if (half_size > 1) lapwing_merge(half);
    lapwing_merge(MPI_COMM_WORLD);
    lapwing_merge(same);
  }
  MPI_Comm_free(&same);
  MPI_Comm_free(&half);
}

TEST(Votes, CostALogarithmOfMessages) {
  lapwing_sets_stats before, after;
  const int size = size_of(), rank = rank_of();
  MPI_Barrier(MPI_COMM_WORLD);
  lapwing_sets_get_stats(&before);
  constexpr int splits = 5;
  for (int i = 0; i < splits; ++i) {
    lapwing::SetScope scope(MPI_COMM_WORLD, 2, rank % 2);
    EXPECT_GE(lapwing_set_size(MPI_COMM_WORLD), 1);
  }
  lapwing_sets_get_stats(&after);
  unsigned long long rounds = 0;
  while (1 << rounds < size) ++rounds;
  EXPECT_LE(after.messages - before.messages, splits * rounds);
  EXPECT_EQ(after.splits - before.splits, splits);
}

// Long enough for LAPWING_SPLIT=auto to try both ways and to choose.
TEST(Votes, LearningIsTheSameForAll) {
  const int size = size_of(), rank = rank_of();
  for (int i = 0; i < (size > 4 ? 40 : 120); ++i) {
    {
      lapwing::SetScope scope(MPI_COMM_WORLD, 2, (rank + i) % 2);
      EXPECT_EQ(lapwing_set_size(MPI_COMM_WORLD), (rank + i) % 2 == i % 2 ? (size + 1) / 2 : size / 2);
    }
    int one = 1, sum = 0;
    lapwing_on_set();
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(sum, size);
  }
}

TEST(Votes, AnExcludedCommunicatorIsPlain) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  lapwing_sets_exclude(comm);
  EXPECT_EQ(lapwing_set_size(comm), size_of());
  MPI_Comm_free(&comm);
}

}  // namespace
