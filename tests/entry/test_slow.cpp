// SPDX-License-Identifier: Apache-2.0
// The generated stubs alone, with something closed all the time and an engine
// that only notes what it is asked to retire: each collective must name exactly
// what MPI will touch, and must still reach MPI with its arguments intact.
#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "entry/caller.hpp"
#include "guard/devices.hpp"
#include "transfer/operations.hpp"
#include "transfer/retire.hpp"

namespace {

struct Retired {
  bool writes;
  const char* from;
  std::size_t length;
};
std::vector<Retired> retired;
int everything = 0, all_but_gets = 0, gets = 0;

}  // namespace

namespace lapwing::guard {
std::atomic<int> closed_regions{0};
bool reachable(const void*, std::size_t) { return true; }
}  // namespace lapwing::guard

namespace lapwing::transfer {
void retire_for_write(const void* address, std::size_t length) {
  if (length) retired.push_back({true, static_cast<const char*>(address), length});
}
void retire_for_read(const void* address, std::size_t length) {
  if (length) retired.push_back({false, static_cast<const char*>(address), length});
}
void retire_frames() {}
void retire_everything() { ++everything; }
void retire_all_but_accesses() { ++all_but_gets; }
void retire_accesses() { ++gets; }
}  // namespace lapwing::transfer

namespace {

class Stub : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    lapwing::guard::closed_regions = 1;
    retired.clear();
    everything = all_but_gets = gets = 0;
  }
  void TearDown() override { lapwing::guard::closed_regions = 0; }

  static void expect(std::size_t index, bool writes, const void* from, std::size_t length) {
    ASSERT_LT(index, retired.size());
    EXPECT_EQ(retired[index].writes, writes) << index;
    EXPECT_EQ(static_cast<const void*>(retired[index].from), from) << index;
    EXPECT_EQ(retired[index].length, length) << index;
  }

  int rank = 0, size = 0;
};

TEST_F(Stub, NothingIsAskedWhileNothingIsClosed) {
  lapwing::guard::closed_regions = 0;
  int x = 1;
  MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_TRUE(retired.empty());
  EXPECT_EQ(everything, 0);
}

TEST_F(Stub, GetsStayUnderWayBehindCallsThatNoProcessNotices) {
  int any = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &any);
  MPI_Wtime();
  EXPECT_EQ(gets, 0);
  MPI_Bcast(&any, 1, MPI_INT, 0, MPI_COMM_WORLD);
  EXPECT_EQ(gets, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(gets, 2);
  EXPECT_EQ(all_but_gets, 0);
}

TEST_F(Stub, GetsStayUnderWayBehindGetsAndFlushes) {
  if (size == 1) GTEST_SKIP() << "Open MPI has no windows of one process";
  int any = 0;
  std::vector<char> memory(8);
  MPI_Win win;
  MPI_Win_create(memory.data(), 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock_all(0, win);
  const int before = gets;
  MPI_Get(&any, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Win_flush(0, win);
  EXPECT_EQ(all_but_gets, 2);
  EXPECT_EQ(gets, before);
  MPI_Win_unlock_all(win);
  EXPECT_EQ(gets, before + 1);
  MPI_Win_free(&win);
}

TEST_F(Stub, Bcast) {
  std::vector<double> x(100, rank == 0 ? 3.0 : 0.0);
  MPI_Bcast(x.data(), 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  ASSERT_EQ(retired.size(), 1u);
  expect(0, true, x.data(), 800);
  EXPECT_EQ(x[99], 3.0);
}

TEST_F(Stub, StridedAndNegativeTypes) {
  // 5 blocks of 2 doubles, the next block 3 doubles lower each time.
  MPI_Datatype vector;
  MPI_Type_vector(5, 2, -3, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  retired.clear();
  std::vector<double> x(100, rank);
  MPI_Bcast(&x[50], 1, vector, 0, MPI_COMM_WORLD);
  ASSERT_EQ(retired.size(), 1u);
  expect(0, true, &x[38], 14 * sizeof(double));
  for (int i : {50, 51, 47, 48, 38, 39}) EXPECT_EQ(x[i], 0.0) << i;
  for (int i : {49, 40, 37, 52}) EXPECT_EQ(x[i], rank) << i;

  // Elements that go down in memory: extent -16, the bytes at +8..+16.
  MPI_Datatype block, down;
  const int one = 1;
  const MPI_Aint at = 8;
  MPI_Type_create_hindexed(1, &one, &at, MPI_DOUBLE, &block);
  MPI_Type_create_resized(block, 0, -16, &down);
  MPI_Type_commit(&down);
  retired.clear();
  MPI_Bcast(&x[50], 4, down, 0, MPI_COMM_WORLD);
  ASSERT_EQ(retired.size(), 1u);
  expect(0, true, &x[45], 7 * sizeof(double));
  MPI_Type_free(&vector);
  MPI_Type_free(&block);
  MPI_Type_free(&down);
}

TEST_F(Stub, AllreduceInPlaceAndNot) {
  std::vector<int> in(10, rank + 1), out(10);
  MPI_Allreduce(in.data(), out.data(), 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  ASSERT_EQ(retired.size(), 2u);
  expect(0, false, in.data(), 40);
  expect(1, true, out.data(), 40);
  EXPECT_EQ(out[9], size * (size + 1) / 2);
  retired.clear();
  MPI_Allreduce(MPI_IN_PLACE, in.data(), 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  ASSERT_EQ(retired.size(), 1u);
  expect(0, true, in.data(), 40);
}

TEST_F(Stub, GatherCountsEachProcessAtTheRootOnly) {
  std::vector<int> in(4, rank), out(4 * static_cast<std::size_t>(size), -1);
  // Elsewhere the receive arguments mean nothing.
  if (rank == 0) {
    MPI_Gather(in.data(), 4, MPI_INT, out.data(), 4, MPI_INT, 0, MPI_COMM_WORLD);
    ASSERT_EQ(retired.size(), 2u);
    expect(1, true, out.data(), 16u * static_cast<std::size_t>(size));
    EXPECT_EQ(out.back(), size - 1);
  } else {
    MPI_Gather(in.data(), 4, MPI_INT, nullptr, -7, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    ASSERT_EQ(retired.size(), 1u);
  }
  expect(0, false, in.data(), 16);
}

TEST_F(Stub, ScatterAndAlltoall) {
  const auto n = static_cast<std::size_t>(size);
  std::vector<int> many(2 * n, rank), few(2);
  MPI_Scatter(many.data(), 2, MPI_INT, few.data(), 2, MPI_INT, size - 1, MPI_COMM_WORLD);
  if (rank == size - 1) {
    ASSERT_EQ(retired.size(), 2u);
    expect(0, false, many.data(), 8 * n);
  }
  ASSERT_FALSE(retired.empty());
  expect(retired.size() - 1, true, few.data(), 8);
  retired.clear();
  std::vector<int> out(2 * n);
  MPI_Alltoall(many.data(), 2, MPI_INT, out.data(), 2, MPI_INT, MPI_COMM_WORLD);
  ASSERT_EQ(retired.size(), 2u);
  expect(0, false, many.data(), 8 * n);
  expect(1, true, out.data(), 8 * n);
  EXPECT_EQ(out.back(), size - 1);
}

TEST_F(Stub, NonBlockingWithStackArguments) {
  const auto n = static_cast<std::size_t>(size);
  std::vector<int> in(1, rank), out(n);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
  ASSERT_EQ(retired.size(), 3u);
  expect(0, false, in.data(), 4);
  expect(1, true, out.data(), 4 * n);
  EXPECT_EQ(static_cast<const void*>(retired[2].from), static_cast<const void*>(&request));
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(out.back(), size - 1);
}

TEST_F(Stub, BottomRetiresEverything) {
  int x = rank;
  MPI_Aint at;
  MPI_Get_address(&x, &at);
  const int one = 1;
  MPI_Datatype absolute;
  MPI_Type_create_hindexed(1, &one, &at, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  everything = 0;
  retired.clear();
  MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD);
  EXPECT_EQ(everything, 1);
  EXPECT_EQ(x, 0);
  MPI_Type_free(&absolute);
}

TEST_F(Stub, ArraysAndSynchronisationRetireEverything) {
  std::vector<int> counts(static_cast<std::size_t>(size), 0),
      displacements(static_cast<std::size_t>(size), 0);
  MPI_Allgatherv(nullptr, 0, MPI_INT, nullptr, counts.data(), displacements.data(), MPI_INT, MPI_COMM_WORLD);
  EXPECT_EQ(everything, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(everything, 2);
}

TEST_F(Stub, IntercommunicatorRetiresEverything) {
  if (size < 2) GTEST_SKIP() << "needs two groups";
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter);
  everything = 0;
  int remote = 0, in = rank;
  MPI_Comm_remote_size(inter, &remote);
  std::vector<int> out(static_cast<std::size_t>(remote));
  MPI_Allgather(&in, 1, MPI_INT, out.data(), 1, MPI_INT, inter);
  EXPECT_EQ(everything, 1);
  EXPECT_EQ(out[0], 1 - rank % 2);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

TEST_F(Stub, FloatingPointArgumentsAndResultsPass) {
  const double before = MPI_Wtime();
  int flag = -1;
  MPI_Initialized(&flag);
  EXPECT_EQ(flag, 1);
  EXPECT_GE(MPI_Wtime(), before);
}

}  // namespace
