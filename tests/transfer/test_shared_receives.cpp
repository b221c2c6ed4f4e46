// SPDX-License-Identifier: Apache-2.0
// A program that posts several receives into one buffer: MPI forbids it, plainly
// it ends, and preloaded it must end as well. All messages of a round are equal,
// so whichever comes last the buffer must hold it.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace {

constexpr int messages = 4, rounds = 6;

class SharedReceives : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    buffer_.resize(static_cast<std::size_t>(GetParam()));
  }
  void post(int tag) {
    if (rank_ == 0)
      MPI_Isend(buffer_.data(), GetParam(), MPI_INT, 1, tag, MPI_COMM_WORLD, &requests_[tag]);
    else
      MPI_Irecv(buffer_.data(), GetParam(), MPI_INT, 0, tag, MPI_COMM_WORLD, &requests_[tag]);
  }
  void begin(int round) {
    std::fill(buffer_.begin(), buffer_.end(), rank_ == 0 ? round + 1 : -1);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void expect(int round) { EXPECT_EQ(std::count(buffer_.begin(), buffer_.end(), round + 1), GetParam()); }
  int rank_ = 0;
  std::vector<int> buffer_;
  MPI_Request requests_[messages];
};

TEST_P(SharedReceives, EndWhenWaitedForInTurn) {
  for (int round = 0; round < rounds; ++round) {
    begin(round);
    for (int m = 0; m < messages; ++m) post(m);
    for (int m = 0; m < messages; ++m)
      MPI_Wait(&requests_[round % 2 ? messages - 1 - m : m], MPI_STATUS_IGNORE);
    expect(round);
  }
}

TEST_P(SharedReceives, EndTogether) {
  for (int round = 0; round < rounds; ++round) {
    begin(round);
    for (int m = 0; m < messages; ++m) post(m);
    MPI_Waitall(messages, requests_, MPI_STATUSES_IGNORE);
    expect(round);
  }
}

TEST_P(SharedReceives, MayMeetABlockingOne) {
  for (int round = 0; round < rounds; ++round) {
    begin(round);
    post(0);
    if (rank_ == 0)
      MPI_Send(buffer_.data(), GetParam(), MPI_INT, 1, 1, MPI_COMM_WORLD);
    else
      MPI_Recv(buffer_.data(), GetParam(), MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&requests_[0], MPI_STATUS_IGNORE);
    expect(round);
  }
}

// The short one falls where the end of the long one's header lies, which has come before both are posted.
TEST_P(SharedReceives, MayBeMetByAShortOne) {
  constexpr int few = 272, place = 1800;
  for (int round = 0; round < rounds; ++round) {
    begin(round);
    if (rank_ == 0) {
      post(0);
      MPI_Isend(buffer_.data(), few, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests_[1]);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      int any = 0;
      MPI_Iprobe(0, 0, MPI_COMM_SELF, &any, MPI_STATUS_IGNORE);  // MPI takes what has come
      post(0);
      MPI_Irecv(buffer_.data() + place, few, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests_[1]);
    }
    MPI_Waitall(2, requests_, MPI_STATUSES_IGNORE);
    expect(round);
  }
}

TEST_P(SharedReceives, MayShareAHalf) {
  const int half = GetParam() / 2;
  for (int round = 0; round < rounds; ++round) {
    begin(round);
    for (int m = 0; m < 3; ++m) {
      int* data = buffer_.data() + m * half / 2;
      if (rank_ == 0)
        MPI_Isend(data, half, MPI_INT, 1, m, MPI_COMM_WORLD, &requests_[m]);
      else
        MPI_Irecv(data, half, MPI_INT, 0, m, MPI_COMM_WORLD, &requests_[m]);
    }
    MPI_Waitall(3, requests_, MPI_STATUSES_IGNORE);
    EXPECT_EQ(std::count(buffer_.begin(), buffer_.begin() + 2 * half, round + 1), 2 * half);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, SharedReceives, ::testing::Values(2072, 6144, 100000));

}  // namespace
