// SPDX-License-Identifier: Apache-2.0
// A consumer that uses what has landed before the rest has.
#include "arrays/calls_fixture.hpp"

namespace lapwing::arrays::testing {
namespace {

TEST_F(Calls, WhatHasLandedCanBeUsed) {
  if (!pair_) return;
  constexpr std::int64_t n = 300;
  Array a(task_ == 0 ? columns(n) : rows(n), {mine_}, tasks_);
  for (int turn = 1; turn < 4; ++turn) {
    lapwing_array_request* request = nullptr;
    if (task_ == 0) {
      a.fill(turn);
      lapwing_array_isend(a.local.data(), a.size(), a.distribution, 1, 0, tasks_, &request);
    } else {
      a.clear();
      lapwing_array_irecv(a.local.data(), a.size(), a.distribution, 0, 0, tasks_, &request);
      for (std::int64_t row = 0; row < n; row += 50) {
        const std::int64_t first[] = {row, 0}, count[] = {50, n};
        ASSERT_EQ(0, lapwing_array_wait_section(request, first, count));
        int wrong = 0, landed = 0;
        EXPECT_EQ(0, lapwing_array_test_section(request, first, count, &landed));
        EXPECT_EQ(1, landed);
        a.each([&](const auto& index, double& here) {
          wrong += index[0] >= row && index[0] < row + 50 && here != Array::value(index, turn);
        });
        EXPECT_EQ(0, wrong) << "rows from " << row;
      }
    }
    ASSERT_EQ(0, lapwing_array_wait(&request, nullptr));
  }
}

// A transfer of a task with itself: what stays and what comes land side by side.
TEST_F(Calls, WhatHasLandedWithinATaskCanBeUsed) {
  constexpr std::int64_t n = 420;
  Array from(columns(n), {mine_}, tasks_), to(rows(n), {mine_}, tasks_);
  for (int turn = 1; turn < 4; ++turn) {
    from.fill(turn);
    to.clear();
    lapwing_array_request* request = nullptr;
    ASSERT_EQ(0, lapwing_array_iredistribute(from.local.data(), from.size(), from.distribution,
                                             to.local.data(), to.size(), to.distribution, tasks_, &request));
    for (std::int64_t row = 0; row < n; row += 60) {
      const std::int64_t first[] = {row, 0}, count[] = {60, n};
      for (int landed = 0; !landed;) ASSERT_EQ(0, lapwing_array_test_section(request, first, count, &landed));
      int wrong = 0;
      to.each([&](const auto& index, double& here) {
        wrong += index[0] >= row && index[0] < row + 60 && here != Array::value(index, turn);
      });
      EXPECT_EQ(0, wrong) << "rows from " << row;
    }
    ASSERT_EQ(0, lapwing_array_wait(&request, nullptr));
    EXPECT_EQ(0, to.wrong(turn));
  }
}

// The sender stops in the middle until the consumer has used what came first. Where
// nobody moves transfers between calls, it can not have sent the rest.
TEST_F(Calls, PartsAreUsedBeforeTheRestIsSent) {
  const char* helper = std::getenv("LAPWING_HELPER");
  if (size_ != 2 || helper == nullptr || std::string(helper) != "off") return;
  constexpr std::int64_t n = 700, some = 5;
  lapwing_tasks_strategy(tasks_, LAPWING_STRATEGY_PARALLEL);
  Array a(task_ == 0 ? columns(n) : rows(n), {mine_}, tasks_);
  lapwing_array_request* request = nullptr;
  int done = 0, token = 0;
  if (task_ == 0) {
    a.fill(2);
    lapwing_tasks_time_steps(tasks_, 1);
    lapwing_array_isend(a.local.data(), a.size(), a.distribution, 1, 0, tasks_, &request);
    for (lapwing_array_steps steps{}; steps.bytes < 32 << 10; lapwing_tasks_steps(tasks_, &steps))
      ASSERT_EQ(0, lapwing_array_test(&request, &done, nullptr));
    lapwing_tasks_time_steps(tasks_, 0);
    MPI_Recv(&token, 1, MPI_INT, 1, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    a.clear();
    lapwing_array_irecv(a.local.data(), a.size(), a.distribution, 0, 0, tasks_, &request);
    const std::int64_t first[] = {0, 0}, count[] = {some, n};
    const std::int64_t everything[] = {n, n};
    int landed = 1;
    ASSERT_EQ(0, lapwing_array_wait_section(request, first, count));
    ASSERT_EQ(0, lapwing_array_test_section(request, first, everything, &landed));
    EXPECT_EQ(0, landed) << "there was nothing left to wait for";
    int wrong = 0;
    a.each(
        [&](const auto& index, double& here) { wrong += index[0] < some && here != Array::value(index, 2); });
    EXPECT_EQ(0, wrong);
    ASSERT_EQ(0, lapwing_array_test(&request, &done, nullptr));
    EXPECT_EQ(0, done) << "there was nothing left to wait for";
    MPI_Send(&token, 1, MPI_INT, 0, 77, MPI_COMM_WORLD);
  }
  ASSERT_EQ(0, lapwing_array_wait(&request, nullptr));
  if (task_ == 1) {
    EXPECT_EQ(0, a.wrong(2));
  }
}

}  // namespace
}  // namespace lapwing::arrays::testing
