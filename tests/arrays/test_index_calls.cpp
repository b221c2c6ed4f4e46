// SPDX-License-Identifier: Apache-2.0
// Arrays with index lists in the calls that random transfers do not make: several at once, buffered, in both
// directions, collectives, many at a time.
#include <numeric>

#include "arrays/calls_fixture.hpp"

namespace lapwing::arrays::testing {
namespace {

using List = std::vector<std::int64_t>;

class IndexCalls : public Calls {
 protected:
  int rank() const { return lapwing_tasks_process_rank(tasks_); }
  /// Each index to one process, in descending order.
  List scattered(std::int64_t extent, int shift = 0) const {
    List list;
    for (std::int64_t i = extent; i-- > 0;)
      if ((i * i + i / 5 + shift) % mine_ == rank()) list.push_back(i);
    return list;
  }
  struct Lists {
    lapwing_index_lists* handle = nullptr;
    Lists(std::int64_t extent, const List& list, const lapwing_grid* grid = nullptr, int grid_dimension = 0) {
      EXPECT_EQ(0, lapwing_index_lists_create(extent, list.data(), static_cast<std::int64_t>(list.size()),
                                              grid, grid_dimension, tasks_, &handle));
    }
    Lists(const Lists&) = delete;
    Lists& operator=(const Lists&) = delete;
    ~Lists() { EXPECT_EQ(0, lapwing_index_lists_free(&handle)); }
    lapwing_dimension dimension(int grid_dimension = 0) const {
      return lapwing_indexed(handle, grid_dimension);
    }
  };
};

TEST_F(IndexCalls, SeveralArraysAtOnceAndBuffered) {
  if (!pair_) return;
  const Lists lists(50, scattered(50));
  Array a({lists.dimension(), lapwing_collapsed(3)}, {mine_}, tasks_), b(rows(6), {mine_}, tasks_);
  const lapwing_distribution* both[2] = {a.distribution, b.distribution};
  const std::int64_t sizes[2] = {a.size(), b.size()};
  lapwing_array_request* request = nullptr;
  if (task_ == 0) {
    a.fill(1);
    b.fill(2);
    const void* local[2] = {a.local.data(), b.local.data()};
    ASSERT_EQ(0, lapwing_array_isend_many(2, local, sizes, both, 1, 4, tasks_, &request));
    ASSERT_EQ(0, lapwing_array_wait(&request, nullptr));
    std::int64_t bytes = 0;
    ASSERT_EQ(0, lapwing_array_pack_size(a.distribution, tasks_, &bytes));
    std::vector<char> buffer(static_cast<std::size_t>(bytes) + 64);
    ASSERT_EQ(0, lapwing_array_buffer_attach(buffer.data(), static_cast<std::int64_t>(buffer.size())));
    a.fill(3);
    ASSERT_EQ(0, lapwing_array_bsend(a.local.data(), a.size(), a.distribution, 1, 5, tasks_));
    a.clear();
    void* back = nullptr;
    ASSERT_EQ(0, lapwing_array_buffer_detach(&back, &bytes));
    return;
  }
  void* local[2] = {a.local.data(), b.local.data()};
  ASSERT_EQ(0, lapwing_array_irecv_many(2, local, sizes, both, 0, 4, tasks_, &request));
  ASSERT_EQ(0, lapwing_array_wait(&request, nullptr));
  EXPECT_EQ(0, a.wrong(1) + b.wrong(2));
  ASSERT_EQ(0, lapwing_array_recv(a.local.data(), a.size(), a.distribution, 0, 5, tasks_, nullptr));
  EXPECT_EQ(0, a.wrong(3));
}

TEST_F(IndexCalls, BothDirectionsAtATime) {
  if (!pair_) return;
  const Lists lists(70, scattered(70, task_));
  Array out({lists.dimension()}, {mine_}, tasks_), in({lapwing_cyclic(70, 3, 0)}, {mine_}, tasks_);
  for (int turn = 1; turn <= 3; ++turn) {
    out.fill(turn + task_);
    ASSERT_EQ(0, lapwing_array_sendrecv(out.local.data(), out.size(), out.distribution, 1 - task_, 7,
                                        in.local.data(), in.size(), in.distribution, 1 - task_, 7, tasks_,
                                        nullptr));
    EXPECT_EQ(0, in.wrong(turn + 1 - task_));
  }
}

TEST_F(IndexCalls, CollectivesOfDistributedArrays) {
  const Lists lists(40, scattered(40, task_));
  Array a({lists.dimension()}, {mine_}, tasks_), sum({lists.dimension()}, {mine_}, tasks_);
  a.fill(1 + task_);
  ASSERT_EQ(0, lapwing_array_allreduce(a.local.data(), sum.local.data(), a.size(), a.distribution, MPI_SUM,
                                       tasks_));
  EXPECT_EQ(0, sum.wrong(pair_ ? 3 : 1));
  if (task_ != 0) a.clear();
  ASSERT_EQ(0, lapwing_array_bcast(a.local.data(), a.size(), a.distribution, 0, tasks_));
  EXPECT_EQ(0, a.wrong(1));
}

// Equal transfers share what the first of them finds out; new lists are others.
TEST_F(IndexCalls, ManyAtATimeAndAgainWithOtherLists) {
  for (int turn = 0; turn < 4; ++turn) {
    const Lists lists(90, scattered(90, turn));
    Array from({lapwing_cyclic(90, 4, 0)}, {mine_}, tasks_), to({lists.dimension()}, {mine_}, tasks_);
    from.fill(turn + 1);
    std::vector<std::vector<double>> came(5, to.local);
    std::vector<lapwing_array_request*> requests(came.size(), nullptr);
    for (std::size_t k = 0; k < came.size(); ++k)
      ASSERT_EQ(0,
                lapwing_array_iredistribute(from.local.data(), from.size(), from.distribution, came[k].data(),
                                            to.size(), to.distribution, tasks_, &requests[k]));
    ASSERT_EQ(0, lapwing_array_waitall(static_cast<int>(requests.size()), requests.data(), nullptr));
    for (const auto& local : came) {
      to.local = local;
      EXPECT_EQ(0, to.wrong(turn + 1));
    }
    ASSERT_EQ(0, lapwing_array_redistribute(to.local.data(), to.size(), to.distribution, from.local.data(),
                                            from.size(), from.distribution, tasks_));
    EXPECT_EQ(0, from.wrong(turn + 1));
  }
}

// One dimension of two, over a grid whose other dimension it does not use: processes of a line give the same
// list.
TEST_F(IndexCalls, OneDimensionOfAGrid) {
  const int across = mine_ % 2 == 0 ? 2 : 1, extents[2] = {across, mine_ / across};
  const lapwing_grid grid{2, extents, LAPWING_ROW_MAJOR, nullptr};
  List list;
  for (std::int64_t i = 0; i < 30; ++i)
    if (i * 7 % extents[1] == rank() % extents[1]) list.push_back(i);
  const Lists lists(30, list, &grid, 1);
  Array a({lapwing_block(8, across, 0), lists.dimension(1)}, {extents[0], extents[1]}, tasks_);
  Array b({lapwing_cyclic(8, 1, 0), lapwing_collapsed(30)}, {mine_}, tasks_);
  a.fill(5);
  ASSERT_EQ(0, lapwing_array_redistribute(a.local.data(), a.size(), a.distribution, b.local.data(), b.size(),
                                          b.distribution, tasks_));
  EXPECT_EQ(0, b.wrong(5));
  a.clear();
  ASSERT_EQ(0, lapwing_array_redistribute(b.local.data(), b.size(), b.distribution, a.local.data(), a.size(),
                                          a.distribution, tasks_));
  EXPECT_EQ(0, a.wrong(5));
}

// The program may free its lists and distributions before a persistent request is through.
TEST_F(IndexCalls, PersistentRequestsOutliveTheirDistributions) {
  std::vector<double> out, in;
  lapwing_array_request* request = nullptr;
  List list = scattered(33);
  {
    const Lists lists(33, list);
    Array a({lists.dimension()}, {mine_}, tasks_), b({lapwing_block(33, mine_, 0)}, {mine_}, tasks_);
    out = a.local;
    in = b.local;
    ASSERT_EQ(0, lapwing_array_redistribute_init(in.data(), b.size(), b.distribution, out.data(), a.size(),
                                                 a.distribution, tasks_, &request));
  }
  const std::int64_t each = (33 + mine_ - 1) / mine_;
  for (int turn = 1; turn < 3; ++turn) {
    for (std::size_t k = 0; k < in.size(); ++k)
      in[k] = turn * static_cast<double>(each * rank() + static_cast<std::int64_t>(k));
    ASSERT_EQ(0, lapwing_array_start(request));
    ASSERT_EQ(0, lapwing_array_wait(&request, nullptr));
    for (std::size_t k = 0; k < list.size(); ++k) EXPECT_EQ(turn * static_cast<double>(list[k]), out[k]);
  }
  EXPECT_EQ(0, lapwing_array_request_free(&request));
}

}  // namespace
}  // namespace lapwing::arrays::testing
