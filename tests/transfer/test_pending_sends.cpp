// SPDX-License-Identifier: Apache-2.0
// A program that receives into the buffers of its pending sends: MPI forbids
// it, plainly it ends, and preloaded it must not stand still. The bytes that are
// sent are then undefined, so only the end of the program is tested.
//
// The other way round, ScaLAPACK's reductions send from a buffer into which a
// receive is pending. Its message answers the one that is sent, so plainly all
// bytes are right.
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

TEST_P(PendingSends, ComeFromWhereAReceiveIsPending) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int ints = GetParam();
  std::vector<int> sum(static_cast<std::size_t>(ints)), part(sum.size());
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < ints; ++i) sum[static_cast<std::size_t>(i)] = rank + round + i;
    if (rank == 1) {
      MPI_Request answer;
      MPI_Irecv(sum.data(), ints, MPI_INT, 0, 2, MPI_COMM_WORLD, &answer);
      MPI_Send(sum.data(), ints, MPI_INT, 0, 1, MPI_COMM_WORLD);
      MPI_Wait(&answer, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(part.data(), ints, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
      MPI_Rsend(sum.data(), ints, MPI_INT, 1, 2, MPI_COMM_WORLD);
    }
    int wrong = 0;
    for (int i = 0; i < ints; ++i) wrong += sum[static_cast<std::size_t>(i)] != 2 * (round + i) + 1;
    ASSERT_EQ(wrong, 0) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PendingSends, ::testing::Values(2072, 10000, 100000));

}  // namespace
