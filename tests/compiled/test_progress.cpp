// SPDX-License-Identifier: Apache-2.0
// What is in flight moves while the program computes; what is not, costs nothing.
#include <lapwing/lapwing.h>
#include <time.h>

#include <atomic>
#include <fstream>

#include "compiled/common.hpp"

namespace {

constexpr std::size_t large_bytes = 4 << 20;  // by rendezvous on any transport
constexpr double patience = 20;

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// Computes without MPI until `done`; as compiled code, polls if it is asked to.
template <typename Done>
bool compute_until(Done done) {
  const double begun = now();
  volatile double sum = 0;
  lapwing_loop loop{1, 0};
  unsigned left = 1;
  while (now() - begun < patience) {
    for (int i = 0; i < 1000; ++i) sum = sum + i * 0.5;
    if (--left == 0) left = lapwing_poll(&loop);
    if (done()) return true;
  }
  return false;
}

TEST(Progress, AReceiveLandsWhileTheProgramComputes) {
  if (!starts()) GTEST_SKIP() << "all starts are the blocking calls";
  for (int way = 0; pair_at_work() && way < 3; ++way) {
    SCOPED_TRACE(way);
    if (my_rank() == 1) {
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const auto out = message(1, 2, large_bytes);
      MPI_Send(out.data(), static_cast<int>(large_bytes), MPI_BYTE, 0, 2, MPI_COMM_WORLD);
      continue;
    }
    std::vector<unsigned char> in(large_bytes, 0);
    lapwing_token* token = nullptr;
    MPI_Request request = MPI_REQUEST_NULL;
    if (way == 1) MPI_Send(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    if (way == 0)
      token = lapwing_post_recv(in.data(), static_cast<int>(large_bytes), MPI_BYTE, 1, 2, MPI_COMM_WORLD,
                                MPI_STATUS_IGNORE);
    else if (way == 1)
      token = lapwing_start_recv_matched(in.data(), static_cast<int>(large_bytes), MPI_BYTE, 1, 2,
                                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Irecv(in.data(), static_cast<int>(large_bytes), MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request);
    if (way == 2) lapwing_defer(1, &request);
    if (way != 1) MPI_Send(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    // The buffer is not to be read; its last byte tells what no MPI call does.
    const volatile unsigned char* last = &in[large_bytes - 1];
    EXPECT_TRUE(compute_until([&] { return *last == pattern(1, 2, large_bytes - 1); }));
    lapwing_retire(1, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    lapwing_wait(token);
    EXPECT_TRUE(holds(in, 1, 2, large_bytes));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Progress, ASendLeavesWhileTheProgramComputes) {
  if (!starts()) GTEST_SKIP() << "all starts are the blocking calls";
  MPI_Win window;
  int* arrived = nullptr;
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &arrived, &window);
  *arrived = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Aint size = 0;
  int unit = 0;
  int* theirs = nullptr;
  if (pair_at_work()) {
    MPI_Win_shared_query(window, 1, &size, &unit, &theirs);
    if (my_rank() == 1) {
      std::vector<unsigned char> in(large_bytes);
      MPI_Recv(in.data(), static_cast<int>(large_bytes), MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_TRUE(holds(in, 0, 2, large_bytes));
      __atomic_store_n(theirs, 1, __ATOMIC_RELEASE);
    } else {
      const auto out = message(0, 2, large_bytes);
      lapwing_token* token =
          lapwing_start_send(out.data(), static_cast<int>(large_bytes), MPI_BYTE, 1, 2, MPI_COMM_WORLD);
      EXPECT_TRUE(compute_until([&] { return __atomic_load_n(theirs, __ATOMIC_ACQUIRE) == 1; }));
      lapwing_wait(token);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
}

TEST(Progress, DeferredRequestsAreCountedAndNothingElse) {
  const int size = ranks(), rank = my_rank(), right = (rank + 1) % size, left = (rank + size - 1) % size;
  const int count = 200;  // more than there are slots
  std::vector<std::vector<unsigned char>> out(count), in(count, std::vector<unsigned char>(3000));
  std::vector<MPI_Request> requests(2 * count, MPI_REQUEST_NULL);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      out[at] = message(rank, i + round, 3000);
      MPI_Irecv(in[at].data(), 3000, MPI_BYTE, left, i, MPI_COMM_WORLD, &requests[at]);
      lapwing_defer(1, &requests[at]);
    }
    EXPECT_EQ(lapwing_wants_polls, starts() && variant() != "preload" ? 1 : 0);
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      MPI_Isend(out[at].data(), 3000, MPI_BYTE, right, i, MPI_COMM_WORLD, &requests[at + count]);
    }
    // Nulls, requests never deferred, and, in the last round, one that the
    // program completes by itself.
    lapwing_defer(2 * count, requests.data());
    MPI_Request none[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    lapwing_defer(3, none);
    lapwing_retire(3, none);
    lapwing_defer(0, nullptr);
    lapwing_retire(0, nullptr);
    if (round == 2) MPI_Wait(&requests[7], MPI_STATUS_IGNORE);
    lapwing_retire(2 * count, requests.data());
    lapwing_retire(2 * count, requests.data());
    MPI_Waitall(2 * count, requests.data(), MPI_STATUSES_IGNORE);
    if (round < 2) {
      EXPECT_EQ(lapwing_wants_polls, 0);
    }
    for (int i = 0; i < count; ++i)
      EXPECT_TRUE(holds(in[static_cast<std::size_t>(i)], left, i + round, 3000));
  }
}

TEST(Progress, StatisticsCountWhatWasStarted) {
  lapwing_stats before, after;
  lapwing_get_stats(&before);
  const int rank = my_rank();
  const auto out = message(rank, 9, large_bytes);
  std::vector<unsigned char> in(large_bytes);
  lapwing_token* receiving = lapwing_post_recv(in.data(), static_cast<int>(large_bytes), MPI_BYTE, rank, 9,
                                               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ASSERT_NE(receiving, nullptr);
  lapwing_wait(
      lapwing_start_send(out.data(), static_cast<int>(large_bytes), MPI_BYTE, rank, 9, MPI_COMM_WORLD));
  lapwing_wait(receiving);
  lapwing_get_stats(&after);
  if (variant() != "preload" && !judged()) {
    EXPECT_EQ(after.deferred_receives, before.deferred_receives + 1);
    EXPECT_GE(after.bytes_deferred, before.bytes_deferred + large_bytes);
  }
}

}  // namespace
