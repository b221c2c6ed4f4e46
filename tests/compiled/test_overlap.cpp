// SPDX-License-Identifier: Apache-2.0
// Transfers that go as the program wrote them: waits end where they stood, and nobody is woken.
#include <lapwing/lapwing.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "compiled/common.hpp"

namespace {

// In so few rounds nothing is tried.
constexpr int rounds = 3;

bool goes_plainly() { return judged() || variant() == "aside"; }

int helpers() {
  int found = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    found += name == "lapwing";
  }
  return found;
}

void send_late(const std::vector<unsigned char>& out, int tag) {
  usleep(20'000);
  MPI_Send(out.data(), count, MPI_BYTE, 0, tag, MPI_COMM_WORLD);
}

TEST(Overlap, AMovedWaitEndsWhereItStood) {
  if (!goes_plainly()) GTEST_SKIP() << "transfers are in flight";
  for (int round = 0; pair_at_work() && round < rounds; ++round) {
    if (my_rank() == 1) {
      send_late(message(1, round, bytes), round);
      continue;
    }
    std::vector<unsigned char> in(bytes, 0);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(in.data(), count, MPI_BYTE, 1, round, MPI_COMM_WORLD, &request);
    lapwing_defer_receives(1, &request);
    lapwing_reach(1, &request);
    EXPECT_TRUE(holds(in, 1, round, bytes));
    EXPECT_NE(request, MPI_REQUEST_NULL) << "it is the program's wait that consumes it";
    MPI_Status status{};
    lapwing_retire(1, &request);
    MPI_Wait(&request, &status);
    EXPECT_TRUE(says(status, 1, round, bytes));
    EXPECT_EQ(request, MPI_REQUEST_NULL);
  }
}

TEST(Overlap, AReceiveThatStartsEarlierEndsWhereItStood) {
  if (!goes_plainly()) GTEST_SKIP() << "transfers are in flight";
  for (int round = 0; pair_at_work() && round < rounds; ++round) {
    if (my_rank() == 1) {
      send_late(message(1, round, bytes), round);
      continue;
    }
    std::vector<unsigned char> in(bytes, 0);
    MPI_Status status{};
    lapwing_token* const token =
        lapwing_post_recv(in.data(), count, MPI_BYTE, 1, round, MPI_COMM_WORLD, &status);
    ASSERT_NE(token, nullptr) << "what starts earlier does not block";
    if (judged()) {
      lapwing_reach_token(token);
      EXPECT_TRUE(holds(in, 1, round, bytes));
    }
    lapwing_wait(token);
    EXPECT_TRUE(holds(in, 1, round, bytes));
    EXPECT_TRUE(says(status, 1, round, bytes));
  }
}

// The halves of an exchange that do not stand side by side: neither blocks, both end where the call stood.
TEST(Overlap, HalvesThatPartEndWhereTheCallStood) {
  if (!judged()) GTEST_SKIP() << "only where ways are judged";
  const int other = 1 - my_rank();
  for (int round = 0; pair_at_work() && round < rounds; ++round) {
    const auto out = message(my_rank(), round, bytes);
    std::vector<unsigned char> in(bytes, 0);
    lapwing_token* const receiving =
        lapwing_pair_recv(in.data(), count, MPI_BYTE, other, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    lapwing_token* const sending =
        lapwing_post_send(out.data(), count, MPI_BYTE, other, round, MPI_COMM_WORLD);
    for (lapwing_token* token : {sending, receiving})
      if (token) lapwing_reach_token(token);
    EXPECT_TRUE(holds(in, other, round, bytes));
    lapwing_wait(receiving);
    lapwing_wait(sending);
  }
}

TEST(Overlap, SmallTransfersWakeNobody) {
  if (!judged()) GTEST_SKIP() << "only where ways are judged";
  const int size = ranks(), right = (my_rank() + 1) % size, left = (my_rank() + size - 1) % size;
  std::vector<unsigned char> in(1000);
  for (int round = 0; round < 200; ++round) {
    MPI_Request requests[2];
    MPI_Irecv(in.data(), 1000, MPI_BYTE, left, round, MPI_COMM_WORLD, &requests[0]);
    lapwing_defer_receives(1, &requests[0]);
    const auto out = message(my_rank(), round, 1000);
    MPI_Isend(out.data(), 1000, MPI_BYTE, right, round, MPI_COMM_WORLD, &requests[1]);
    lapwing_defer(1, &requests[1]);
    EXPECT_EQ(lapwing_wants_polls, 0);
    lapwing_retire(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_TRUE(holds(in, left, round, 1000));
  }
}

TEST(Overlap, WhatIsNeededAtOnceIsNeverInFlight) {
  if (!judged()) GTEST_SKIP() << "only where ways are judged";
  const int before = helpers();
  lapwing_stats first, last;
  lapwing_get_stats(&first);
  const int other = 1 - my_rank();
  for (int round = 0; pair_at_work() && round < 60; ++round) {
    const auto out = message(my_rank(), round, bytes);
    std::vector<unsigned char> in(bytes, 0);
    lapwing_token* const sending = lapwing_pair_send(out.data(), count, MPI_BYTE, other, 1, MPI_COMM_WORLD);
    lapwing_token* const receiving =
        lapwing_pair_recv(in.data(), count, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    lapwing_wait(receiving);
    lapwing_wait(sending);
    EXPECT_TRUE(holds(in, other, round, bytes));
  }
  lapwing_get_stats(&last);
  EXPECT_EQ(last.deferred_receives, first.deferred_receives);
  EXPECT_EQ(last.deferred_sends, first.deferred_sends);
  EXPECT_EQ(helpers(), before);
}

}  // namespace
