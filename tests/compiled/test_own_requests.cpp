// SPDX-License-Identifier: Apache-2.0
// Requests that stay the program's own, in a compiled program. Last of all tests: a loop that is kept
// lets the transfers that follow it fly as well, for a moment.
#include <lapwing/lapwing.h>
#include <unistd.h>

#include "compiled/common.hpp"

namespace {

// No word of the compiler's is about these: the program itself overlaps, and somebody moves them if that
// pays.
TEST(OwnRequests, RequestsThatStayTheProgramsOwnAreTriedToo) {
  if (!judged()) GTEST_SKIP() << "only where ways are judged";
  constexpr int large = 4 << 20;
  const int other = 1 - my_rank();
  int moved = 0;
  for (int round = 0; pair_at_work() && round < 60; ++round) {
    const auto out = message(my_rank(), round, large);
    std::vector<unsigned char> in(large, 0);
    MPI_Request requests[2];
    MPI_Irecv(in.data(), large, MPI_BYTE, other, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out.data(), large, MPI_BYTE, other, 3, MPI_COMM_WORLD, &requests[1]);
    moved += lapwing_wants_polls != 0;
    usleep(4'000);  // in place of computing
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(lapwing_wants_polls, 0);
    EXPECT_TRUE(holds(in, other, round, large));
  }
  EXPECT_TRUE(moved > 0 || !pair_at_work());
}

// Each start of a persistent request counts as a request of its own: libraries (PETSc) make their ghost
// exchanges once, and start them again and again.
TEST(OwnRequests, PersistentRequestsAreTriedToo) {
  if (!judged()) GTEST_SKIP() << "only where ways are judged";
  constexpr int large = 4 << 20;
  const int other = 1 - my_rank();
  std::vector<unsigned char> in(large, 0), out(large, 0);
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  if (pair_at_work()) {
    MPI_Recv_init(in.data(), large, MPI_BYTE, other, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out.data(), large, MPI_BYTE, other, 6, MPI_COMM_WORLD, &requests[1]);
  }
  int moved = 0;
  for (int round = 0; pair_at_work() && round < 40; ++round) {
    const auto bytes_out = message(my_rank(), round, large);
    std::copy(bytes_out.begin(), bytes_out.end(), out.begin());  // the request names this memory
    if (round % 2 == 0) {
      MPI_Startall(2, requests);
    } else {
      MPI_Start(&requests[0]);
      MPI_Start(&requests[1]);
    }
    moved += lapwing_wants_polls != 0;
    usleep(4'000);  // in place of computing
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
    EXPECT_EQ(lapwing_wants_polls, 0);
    int bytes = 0;
    MPI_Get_count(&statuses[0], MPI_BYTE, &bytes);
    EXPECT_EQ(bytes, large);
    EXPECT_EQ(statuses[0].MPI_SOURCE, other);
    EXPECT_TRUE(holds(in, other, round, large));
  }
  EXPECT_TRUE(moved > 0 || !pair_at_work());
  // Freed ones are forgotten: MPI may give another request the same handle.
  for (MPI_Request& request : requests)
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

// Where a divided loop stands between the starts and waits that stay the program's, a trial looks at what its
// early rounds hide. Their polls move the messages then, as they will where the loop is kept.
TEST(OwnRequests, AGlanceAtADividedLoopMovesThem) {
  if (!judged()) GTEST_SKIP() << "only where ways are judged";
  constexpr int large = 4 << 20;
  const int other = 1 - my_rank();
  int divided = 0;
  for (int round = 0; pair_at_work() && round < 60; ++round) {
    const auto out = message(my_rank(), round, large);
    std::vector<unsigned char> in(large, 0);
    MPI_Request requests[2];
    MPI_Irecv(in.data(), large, MPI_BYTE, other, 5, MPI_COMM_WORLD, &requests[0]);
    lapwing_defer_receives(1, &requests[0]);
    MPI_Isend(out.data(), large, MPI_BYTE, other, 5, MPI_COMM_WORLD, &requests[1]);
    lapwing_defer(1, &requests[1]);
    if (lapwing_interior_is_worth(large) != 0) {
      ++divided;
      EXPECT_NE(lapwing_wants_polls, 0) << "round " << round;
    }
    usleep(4'000);  // in place of computing
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(lapwing_wants_polls, 0);
    EXPECT_TRUE(holds(in, other, round, large));
  }
  EXPECT_TRUE(divided > 0 || !pair_at_work());
}

// MPI moves a posted receive in a blocking send, so the time of the send hides nothing. One rank sends late,
// so that the other has to wait after its send. The loop before this one may be kept for a moment.
TEST(OwnRequests, AReceiveBesideABlockingSendIsNotTried) {
  if (!judged()) GTEST_SKIP() << "only where ways are judged";
  constexpr int large = 3 << 20;
  const int other = 1 - my_rank();
  int moved = 0;
  for (int round = 0; pair_at_work() && round < 40; ++round) {
    const auto out = message(my_rank(), round, large);
    std::vector<unsigned char> in(large, 0);
    MPI_Request request;
    MPI_Irecv(in.data(), large, MPI_BYTE, other, 4, MPI_COMM_WORLD, &request);
    if (my_rank() == 1) usleep(3'000);
    MPI_Send(out.data(), large, MPI_BYTE, other, 4, MPI_COMM_WORLD);
    moved += round >= 10 && lapwing_wants_polls != 0;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_TRUE(holds(in, other, round, large));
  }
  EXPECT_EQ(moved, 0);
}

}  // namespace
