// SPDX-License-Identifier: Apache-2.0
// A program that receives into the buffers of its pending sends: MPI forbids
// it, plainly it ends, and preloaded it must not stand still. What is sent is
// then anybody's guess, so only the end of the program is tested.
#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

namespace {

constexpr int messages = 6, rounds = 8;

class PendingSends : public ::testing::TestWithParam<int> {};

TEST_P(PendingSends, AreReceivedInto) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int partner = rank ^ 1, ints = GetParam();
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::vector<int>> buffers(messages);
    for (int m = 0; m < messages; ++m) buffers[m].assign(static_cast<std::size_t>(ints), round * 100 + m);
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<MPI_Request> requests(messages);
    for (int m = 0; m < messages; ++m)
      MPI_Isend(buffers[m].data(), ints, MPI_INT, partner, m, MPI_COMM_WORLD, &requests[m]);
    for (int m = 0; m < messages; ++m)
      MPI_Recv(buffers[m].data(), ints, MPI_INT, partner, m, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PendingSends, ::testing::Values(2072, 10000, 100000));

}  // namespace
