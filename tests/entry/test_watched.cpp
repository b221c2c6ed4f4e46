// SPDX-License-Identifier: Apache-2.0
// Group calls as a watcher sees them, in C and with large counts: every field
// that a call has arrives, whatever way it returns, and what the watcher has
// carried out never reaches MPI.
#include <gtest/gtest.h>
#include <mpi.h>

#include <functional>
#include <vector>

#include "entry/caller.hpp"
#include "entry/sets/watched.hpp"
#include "guard/devices.hpp"
#include "sets/group_call.hpp"
#include "transfer/operations.hpp"
#include "transfer/retire.hpp"

namespace lapwing::guard {
std::atomic<int> closed_regions{0};
bool reachable(const void*, std::size_t) { return true; }
}  // namespace lapwing::guard

namespace lapwing::transfer {
void retire_for_write(const void*, std::size_t) {}
void retire_for_read(const void*, std::size_t) {}
void retire_frames() {}
void retire_everything() {}
void retire_all_but_accesses() {}
void retire_accesses() {}
}  // namespace lapwing::transfer

namespace {

using lapwing::sets::GroupCall;
using lapwing::sets::Made;
using lapwing::sets::Operation;
using lapwing::sets::Way;

class Recorder : public lapwing::sets::Watcher {
 public:
  bool before(const GroupCall& call, int* result, Made* made) override {
    seen.push_back(call);
    return carry_out && carry_out(call, result, made);
  }
  void after(const GroupCall&, int result, const Made& m) override {
    results.push_back(result);
    made = m;
  }
  std::function<bool(const GroupCall&, int*, Made*)> carry_out;
  std::vector<GroupCall> seen;
  std::vector<int> results;
  Made made;
};

class Watched : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    n = static_cast<std::size_t>(size);
    lapwing::sets::watcher = &recorder;
  }
  void TearDown() override { lapwing::sets::watcher = nullptr; }

  /// The one call since the last question.
  GroupCall only(const char* name, Operation operation, Way way = Way::blocking) {
    EXPECT_EQ(recorder.seen.size(), 1u) << name;
    EXPECT_EQ(recorder.results, std::vector<int>{MPI_SUCCESS}) << name;
    GroupCall call = recorder.seen.empty() ? GroupCall{} : recorder.seen.back();
    recorder.seen.clear();
    recorder.results.clear();
    EXPECT_STREQ(call.name, name);
    EXPECT_EQ(call.operation, operation) << name;
    EXPECT_EQ(call.way, way) << name;
    return call;
  }
  void wait_made(MPI_Request request) {
    EXPECT_EQ(recorder.made.request, request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  static void expect(const lapwing::sets::Data& data, const void* buffer, MPI_Count count,
                     MPI_Datatype type) {
    EXPECT_TRUE(data.given);
    EXPECT_EQ(static_cast<const void*>(data.buffer), buffer);
    EXPECT_EQ(data.count(0), count);
    EXPECT_EQ(data.type(0), type);
  }

  Recorder recorder;
  int rank = 0, size = 0;
  std::size_t n = 1;
};

TEST_F(Watched, BarrierAndBroadcast) {
  MPI_Barrier(MPI_COMM_WORLD);
  GroupCall call = only("MPI_Barrier", Operation::barrier);
  EXPECT_EQ(call.comm, MPI_COMM_WORLD);
  EXPECT_FALSE(call.has_root || call.send.given || call.receive.given);
  double x[3] = {1.0 + rank, 2, 3};
  MPI_Bcast(x, 3, MPI_DOUBLE, size - 1, MPI_COMM_WORLD);
  call = only("MPI_Bcast", Operation::bcast);
  EXPECT_TRUE(call.has_root);
  EXPECT_EQ(call.root, size - 1);
  expect(call.send, x, 3, MPI_DOUBLE);
  EXPECT_EQ(x[0], size);
  MPI_Request request;
  MPI_Ibcast(x, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  expect(only("MPI_Ibcast", Operation::bcast, Way::immediate).send, x, 2, MPI_DOUBLE);
  wait_made(request);
}

TEST_F(Watched, Reductions) {
  int in = rank, out = 0;
  MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  GroupCall call = only("MPI_Allreduce", Operation::allreduce);
  EXPECT_EQ(call.op, MPI_MAX);
  expect(call.send, &in, 1, MPI_INT);
  expect(call.receive, &out, 1, MPI_INT);
  EXPECT_EQ(out, size - 1);
  MPI_Allreduce(MPI_IN_PLACE, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(only("MPI_Allreduce", Operation::allreduce).send.buffer, MPI_IN_PLACE);
  MPI_Reduce(&in, &out, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  call = only("MPI_Reduce", Operation::reduce);
  EXPECT_EQ(call.op, MPI_SUM);
  EXPECT_TRUE(call.has_root);
  MPI_Request request;
  MPI_Ireduce(&in, &out, 1, MPI_INT, MPI_PROD, 0, MPI_COMM_WORLD, &request);
  EXPECT_EQ(only("MPI_Ireduce", Operation::reduce, Way::immediate).op, MPI_PROD);
  wait_made(request);
  MPI_Scan(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  only("MPI_Scan", Operation::scan);
  MPI_Exscan(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  only("MPI_Exscan", Operation::exscan);
  std::vector<int> many(n, rank), counts(n, 1);
  MPI_Reduce_scatter(many.data(), &out, counts.data(), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  call = only("MPI_Reduce_scatter", Operation::reduce_scatter);
  EXPECT_EQ(call.send.counts, counts.data());
  EXPECT_EQ(call.receive.count(size - 1), 1);
  MPI_Reduce_scatter_block(many.data(), &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  only("MPI_Reduce_scatter_block", Operation::reduce_scatter_block);
}

TEST_F(Watched, BlocksForEachProcess) {
  std::vector<int> a(n, rank), b(n), counts(n, 1), at(n), bytes_at(n);
  std::vector<MPI_Datatype> types(n, MPI_INT);
  for (std::size_t i = 0; i < n; ++i) {
    at[i] = static_cast<int>(i);
    bytes_at[i] = static_cast<int>(4 * i);
  }
  MPI_Gather(a.data(), 1, MPI_INT, b.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  expect(only("MPI_Gather", Operation::gather).receive, b.data(), 1, MPI_INT);
  MPI_Gatherv(a.data(), 1, MPI_INT, b.data(), counts.data(), at.data(), MPI_INT, 0, MPI_COMM_WORLD);
  EXPECT_EQ(only("MPI_Gatherv", Operation::gatherv).receive.displacement(size - 1), size - 1);
  MPI_Scatter(a.data(), 1, MPI_INT, b.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  expect(only("MPI_Scatter", Operation::scatter).send, a.data(), 1, MPI_INT);
  MPI_Scatterv(a.data(), counts.data(), at.data(), MPI_INT, b.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  EXPECT_EQ(only("MPI_Scatterv", Operation::scatterv).send.counts, counts.data());
  MPI_Allgather(a.data(), 1, MPI_INT, b.data(), 1, MPI_INT, MPI_COMM_WORLD);
  only("MPI_Allgather", Operation::allgather);
  MPI_Allgatherv(a.data(), 1, MPI_INT, b.data(), counts.data(), at.data(), MPI_INT, MPI_COMM_WORLD);
  EXPECT_EQ(only("MPI_Allgatherv", Operation::allgatherv).receive.counts, counts.data());
  MPI_Alltoall(a.data(), 1, MPI_INT, b.data(), 1, MPI_INT, MPI_COMM_WORLD);
  only("MPI_Alltoall", Operation::alltoall);
  MPI_Alltoallv(a.data(), counts.data(), at.data(), MPI_INT, b.data(), counts.data(), at.data(), MPI_INT,
                MPI_COMM_WORLD);
  GroupCall call = only("MPI_Alltoallv", Operation::alltoallv);
  EXPECT_EQ(call.receive.type(0), MPI_INT);
  EXPECT_EQ(call.comm, MPI_COMM_WORLD);
  MPI_Request request;
  MPI_Ialltoallw(a.data(), counts.data(), bytes_at.data(), types.data(), b.data(), counts.data(),
                 bytes_at.data(), types.data(), MPI_COMM_WORLD, &request);
  call = only("MPI_Ialltoallw", Operation::alltoallw, Way::immediate);
  EXPECT_EQ(call.receive.type(size - 1), MPI_INT);
  EXPECT_EQ(call.comm, MPI_COMM_WORLD);
  wait_made(request);
  EXPECT_EQ(b[n - 1], size - 1);
}

TEST_F(Watched, Communicators) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &comm);
  only("MPI_Comm_split", Operation::comm_split);
  EXPECT_EQ(recorder.made.comm, comm);
  const MPI_Comm was = comm;
  MPI_Comm_free(&comm);
  EXPECT_EQ(only("MPI_Comm_free", Operation::comm_free).comm, was);
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
  EXPECT_EQ(only("MPI_Comm_create", Operation::comm_create).group, group);
  MPI_Comm_disconnect(&comm);
  only("MPI_Comm_disconnect", Operation::comm_disconnect);
  const int dims = size, periods = 0;
  std::uint64_t same[2];
  for (int reorder = 0; reorder < 2; ++reorder) {
    MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periods, reorder, &comm);
    same[reorder] = only("MPI_Cart_create", Operation::cart_create).same;
    PMPI_Comm_free(&comm);
  }
  EXPECT_NE(same[0], same[1]);
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
  only("MPI_Comm_idup", Operation::comm_idup, Way::immediate);
  wait_made(request);
  PMPI_Comm_free(&comm);
  MPI_Group_free(&group);
}

TEST_F(Watched, WindowsAndFiles) {
  if (size == 1) GTEST_SKIP() << "Open MPI has no windows for a single process here";
  int memory = 0;
  MPI_Win win;
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  EXPECT_EQ(only("MPI_Win_create", Operation::win_create).comm, MPI_COMM_WORLD);
  EXPECT_EQ(recorder.made.win, win);
  MPI_Win_fence(0, win);
  EXPECT_EQ(only("MPI_Win_fence", Operation::win_fence).win, win);
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Win_post(group, 0, win);
  EXPECT_EQ(only("MPI_Win_post", Operation::win_post).group, group);
  MPI_Win_start(group, 0, win);
  EXPECT_EQ(only("MPI_Win_start", Operation::win_start).group, group);
  MPI_Win_complete(win);
  EXPECT_EQ(only("MPI_Win_complete", Operation::win_complete).win, win);
  MPI_Win_wait(win);
  EXPECT_EQ(only("MPI_Win_wait", Operation::win_wait).win, win);
  MPI_Group_free(&group);
  MPI_Win_free(&win);
  EXPECT_NE(only("MPI_Win_free", Operation::win_free).win, MPI_WIN_NULL);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, "/tmp/lapwing_watched",
                MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  EXPECT_EQ(only("MPI_File_open", Operation::file_open).comm, MPI_COMM_WORLD);
  EXPECT_EQ(recorder.made.file, file);
  MPI_File_write_at_all(file, 4 * rank, &memory, 1, MPI_INT, MPI_STATUS_IGNORE);
  GroupCall call = only("MPI_File_write_at_all", Operation::file_write_at_all);
  EXPECT_EQ(call.file, file);
  expect(call.send, &memory, 1, MPI_INT);
  MPI_File_read_all_begin(file, &memory, 1, MPI_INT);
  only("MPI_File_read_all_begin", Operation::file_read_all, Way::begin);
  MPI_File_read_all_end(file, &memory, MPI_STATUS_IGNORE);
  only("MPI_File_read_all_end", Operation::file_read_all, Way::end);
  MPI_File_close(&file);
  only("MPI_File_close", Operation::file_close);
}

TEST_F(Watched, WhatTheWatcherCarriesOutNeverReachesMpi) {
  recorder.carry_out = [](const GroupCall&, int* result, Made* made) {
    *result = MPI_ERR_OTHER;
    made->request = MPI_REQUEST_NULL;
    return true;
  };
  // A barrier of one of several would never return.
  if (rank == 0) {
    EXPECT_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_ERR_OTHER);
    EXPECT_TRUE(recorder.results.empty());
  }
  recorder.carry_out = [](const GroupCall&, int* result, Made* made) {
    *result = MPI_SUCCESS;
    made->request = MPI_REQUEST_NULL;
    return true;
  };
  MPI_Request request{};
  if (rank == 0) {
    EXPECT_EQ(MPI_Ibarrier(MPI_COMM_WORLD, &request), MPI_SUCCESS);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
  }
}

TEST_F(Watched, TheMarkBelongsToOneCall) {
  static const lapwing_call_site site{{"x.c", "f", 12}, "MPI_Barrier", 0};
  lapwing::sets::next_call = &site;
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(only("MPI_Barrier", Operation::barrier).site, &site);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(only("MPI_Barrier", Operation::barrier).site, nullptr);
}

#if MPI_VERSION >= 4
TEST_F(Watched, LargeCountsAndPersistence) {
  std::vector<MPI_Count> counts(n, 1);
  std::vector<MPI_Aint> at(n);
  for (std::size_t i = 0; i < n; ++i) at[i] = static_cast<MPI_Aint>(i);
  std::vector<int> b(n);
  MPI_Allgatherv_c(&rank, 1, MPI_INT, b.data(), counts.data(), at.data(), MPI_INT, MPI_COMM_WORLD);
  GroupCall call = only("MPI_Allgatherv", Operation::allgatherv);
  EXPECT_EQ(call.receive.count(size - 1), 1);
  EXPECT_EQ(call.receive.displacement(size - 1), size - 1);
  EXPECT_EQ(b[n - 1], size - 1);
  MPI_Request request;
  MPI_Bcast_init(b.data(), 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  expect(only("MPI_Bcast_init", Operation::bcast, Way::persistent).send, b.data(), 1, MPI_INT);
  EXPECT_EQ(recorder.made.request, request);
  PMPI_Request_free(&request);
}
#endif

}  // namespace
