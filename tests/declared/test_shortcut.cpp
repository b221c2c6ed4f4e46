// SPDX-License-Identifier: Apache-2.0
// Short-cutting: all agree on one result, and work ends without a barrier.
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include "lapwing/declare.h"
#include "lapwing/shortcut.h"

namespace {

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

TEST(Shortcut, EndsWorkThatWouldNeverEnd) {
  const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  for (int finder = 0; finder < size; ++finder) {
    lapwing_shortcut* race = lapwing_shortcut_begin(MPI_COMM_WORLD, LAPWING_SHORTCUT_ANY);
    int result = -1;
    if (rank == finder) {
      result = 100 + rank;
      lapwing_shortcut_found(race, &result, sizeof result);
    }
    while (!lapwing_shortcut_done(race)) usleep(10);  // for ever, but for the news
    EXPECT_EQ(lapwing_shortcut_end(race, &result, sizeof result), finder);
    EXPECT_EQ(result, 100 + finder);
  }
}

TEST(Shortcut, AllChooseTheSameOfSeveral) {
  const int rank = rank_in(MPI_COMM_WORLD);
  for (int round = 0; round < 50; ++round) {
    lapwing_shortcut* race = lapwing_shortcut_begin(MPI_COMM_WORLD, LAPWING_SHORTCUT_ANY);
    long result[2] = {rank, round};
    if ((rank + round) % 3 == 0 || rank == 0) lapwing_shortcut_found(race, result, sizeof result);
    while (!lapwing_shortcut_done(race)) continue;
    EXPECT_EQ(lapwing_shortcut_end(race, result, sizeof result), 0);
    EXPECT_EQ(result[0], 0);
    EXPECT_EQ(result[1], round);
  }
}

TEST(Shortcut, TheLowestDoesNotDependOnTime) {
  const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  const int lowest = size / 2;
  for (int round = 0; round < 5; ++round) {
    lapwing_shortcut* race = lapwing_shortcut_begin(MPI_COMM_WORLD, LAPWING_SHORTCUT_LOWEST);
    // Higher ranks find early, the lowest finder late, and those below it nothing.
    int result = rank;
    if (rank > lowest && rank % 2) lapwing_shortcut_found(race, &result, sizeof result);
    for (int i = 0; rank < lowest && i < 100; ++i) {
      EXPECT_FALSE(lapwing_shortcut_done(race));
    }
    if (rank == lowest) {
      usleep(5000);
      EXPECT_FALSE(lapwing_shortcut_done(race));
      lapwing_shortcut_found(race, &result, sizeof result);
    }
    while (rank > lowest && !(rank % 2) && !lapwing_shortcut_done(race)) usleep(10);
    EXPECT_EQ(lapwing_shortcut_end(race, &result, sizeof result), lowest);
    EXPECT_EQ(result, lowest);
  }
}

TEST(Shortcut, NobodyFinds) {
  lapwing_shortcut* race = lapwing_shortcut_begin(MPI_COMM_WORLD, LAPWING_SHORTCUT_ANY);
  int result = 42;
  EXPECT_FALSE(lapwing_shortcut_done(race));
  EXPECT_EQ(lapwing_shortcut_end(race, &result, sizeof result), -1);
  EXPECT_EQ(result, 42);
}

TEST(Shortcut, OnACommunicatorOfItsOwnBesideOthers) {
  const int rank = rank_in(MPI_COMM_WORLD);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  lapwing_shortcut* here = lapwing_shortcut_begin(half, LAPWING_SHORTCUT_ANY);
  lapwing_shortcut* all = lapwing_shortcut_begin(MPI_COMM_WORLD, LAPWING_SHORTCUT_ANY);
  const int last = size_of(half) - 1;
  int result = rank;
  if (rank_in(half) == last) lapwing_shortcut_found(here, &result, sizeof result);
  while (!lapwing_shortcut_done(here)) continue;
  EXPECT_FALSE(lapwing_shortcut_done(all));
  EXPECT_EQ(lapwing_shortcut_end(here, &result, sizeof result), last);
  EXPECT_EQ(result % 2, rank % 2);
  EXPECT_EQ(lapwing_shortcut_end(all, &result, sizeof result), -1);
  MPI_Comm_free(&half);
}

}  // namespace
