// SPDX-License-Identifier: Apache-2.0
// Hints of calls change how messages travel: into how many strips they are cut, and from which end they come.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "lapwing/hints.h"
#include "lapwing/hints.hpp"
#include "lapwing/lapwing.h"

namespace {

constexpr std::size_t page = 4096, bytes = 4 << 20;

// Strips that have landed here.
std::uint64_t strips() {
  static const auto get =
      reinterpret_cast<decltype(&lapwing_get_stats)>(dlsym(RTLD_DEFAULT, "lapwing_get_stats"));
  lapwing_stats stats;
  get(&stats);
  return stats.strips;
}

class HintCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    data_.resize(bytes);
  }
  void TearDown() override {
    lapwing_reset_hints();
    MPI_Barrier(MPI_COMM_WORLD);
  }

  struct Seen {
    std::uint64_t before_last_page, all;
  };
  // One message from rank 0, whose last page rank 1 touches first.
  Seen message() {
    MPI_Barrier(MPI_COMM_WORLD);
    const std::uint64_t before = strips();
    if (rank_ == 0) {
      for (std::size_t i = 0; i < bytes; ++i) data_[i] = static_cast<char>(i / page + 1);
      MPI_Send(data_.data(), bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
      return {};
    }
    MPI_Recv(data_.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const volatile char* const seen = data_.data();
    EXPECT_EQ(seen[bytes - 2 * page], static_cast<char>(bytes / page - 1));
    const std::uint64_t then = strips() - before;
    for (std::size_t i = 0; i < bytes; i += page) EXPECT_EQ(seen[i], static_cast<char>(i / page + 1));
    MPI_Barrier(MPI_COMM_WORLD);
    return {then, strips() - before};
  }

  int rank_ = 0;
  std::vector<char> data_;
};

TEST_F(HintCalls, ASendIsCutAsItsThreadSays) {
  if (rank_ == 0) {
    ASSERT_EQ(lapwing_set_decomposition(bytes, bytes), 0);
  }
  const Seen one = message();
  if (rank_ == 1) {
    EXPECT_EQ(one.all, 1u);
  }
  lapwing_reset_hints();
  const Seen many = message();
  if (rank_ == 1) {
    EXPECT_GE(many.all, bytes / (256 << 10) - 1);  // strips without a hint are of 256 KiB at most
  }
}

TEST_F(HintCalls, AReceiverIsToldToTheSender) {
  if (rank_ == 1) {
    ASSERT_EQ(lapwing_set_decomposition(64 << 10, 64 << 10), 0);
  }
  message();  // tells it
  const Seen seen = message();
  if (rank_ == 1) {
    EXPECT_EQ(seen.all, (bytes - 2 * page + (64 << 10) - 1) / (64 << 10));
  }
  lapwing_reset_hints();
  message();  // tells that there is no hint any more
  const Seen plain = message();
  if (rank_ == 1) {
    EXPECT_NE(plain.all, seen.all);
  }
}

TEST_F(HintCalls, StripsComeFromTheEndThatIsWanted) {
  if (rank_ == 0) {
    lapwing_set_decomposition(16 << 10, 16 << 10);
  }
  std::uint64_t least_down = UINT64_MAX, least_up = UINT64_MAX, all = 0;
  for (int turn = 0; turn < 24; ++turn) {  // on a busy machine the waiting thread often runs late
    if (rank_ == 0) {
      lapwing_set_order(turn % 2 == 0 ? LAPWING_ORDER_DOWN : LAPWING_ORDER_UP);
    }
    const Seen seen = message();
    std::uint64_t& least = turn % 2 == 0 ? least_down : least_up;
    least = std::min(least, seen.before_last_page);
    all = seen.all;
  }
  if (rank_ == 1) {
    EXPECT_GE(least_up + 1, all);
    EXPECT_LT(least_down, all / 2);
  }
}

TEST_F(HintCalls, MessagesBehindATrainAreNotCut) {
  constexpr int messages = 3;
  std::vector<std::vector<char>> more(messages, std::vector<char>(1 << 20, static_cast<char>(rank_)));
  const std::uint64_t before = strips();
  if (rank_ == 0) {
    lapwing_set_decomposition(16 << 10, 16 << 10);
    lapwing_set_train(1);
    MPI_Request requests[messages];
    for (int i = 0; i < messages; ++i)
      MPI_Isend(more[i].data(), 1 << 20, MPI_CHAR, 1, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);  // none is received before all have been started
    MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < messages; ++i) {
      MPI_Recv(more[i].data(), 1 << 20, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const volatile char* const seen = more[i].data();
      for (std::size_t at = 0; at < 1 << 20; at += page) EXPECT_EQ(seen[at], 0);
    }
    EXPECT_EQ(strips() - before, ((1 << 20) - 2 * page + (16 << 10) - 1) / (16 << 10) + messages - 1);
  }
}

TEST_F(HintCalls, ValuesThatAreNoneAreRefused) {
  EXPECT_EQ(lapwing_set_order(3), -1);
  EXPECT_EQ(lapwing_set_order(-1), -1);
  EXPECT_EQ(lapwing_set_decomposition(std::size_t{1} << 31, 0), -1);
  EXPECT_EQ(lapwing_set_train(-1), -1);
  EXPECT_EQ(lapwing_set_train(2'000'000), -1);
  const lapwing::HintScope scope({LAPWING_ORDER_DOWN, 1 << 16, 1 << 18, 4});
  EXPECT_TRUE(scope.given());
}

}  // namespace
