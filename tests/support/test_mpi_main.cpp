// SPDX-License-Identifier: Apache-2.0
// Shows that mpi_main fails a test that fails on one rank only. The failure
// itself is asked for by MPI_MAIN_FAIL_ON_RANK.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <string>

TEST(MpiMain, EveryRankRuns) {
  int rank = 0;
  int ranks = 0;
  int sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(sum, ranks * (ranks - 1) / 2);
  const char* failing = std::getenv("MPI_MAIN_FAIL_ON_RANK");
  if (failing != nullptr && std::to_string(rank) == failing) ADD_FAILURE() << "asked for";
}
