// SPDX-License-Identifier: Apache-2.0
// Collectives over tasks, with plain and with distributed arguments.
#include <numeric>

#include "arrays/arrays_support.hpp"

namespace lapwing::arrays::testing {
namespace {

class Collectives : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int tasks = std::min(size_, 3);
    ASSERT_EQ(0, lapwing_tasks_create(MPI_COMM_WORLD, rank % tasks, &tasks_));
    task_ = lapwing_tasks_rank(tasks_);
    count_ = lapwing_tasks_size(tasks_);
    mine_ = lapwing_tasks_processes(tasks_, task_);
  }
  void TearDown() override { EXPECT_EQ(0, lapwing_tasks_free(&tasks_)); }
  // Tasks 0 and 2 distribute alike, task 1 does not.
  std::vector<lapwing_dimension> vector(std::int64_t n) const {
    return {task_ == 1 ? lapwing_cyclic(n, 1, 0) : lapwing_block(n, mine_, 0)};
  }

  int size_ = 0, task_ = 0, count_ = 0, mine_ = 0;
  lapwing_tasks* tasks_ = nullptr;
};

TEST_F(Collectives, Plain) {
  ASSERT_EQ(0, lapwing_tasks_barrier(tasks_));
  for (int root = 0; root < count_; ++root) {
    int values[2] = {task_ == root ? 11 : 0, task_ == root ? 12 : 0};
    ASSERT_EQ(0, lapwing_tasks_bcast(values, 2, MPI_INT, root, tasks_));
    EXPECT_EQ(11 + 12, values[0] + values[1]);
    const int mine[2] = {task_ + 1, 10 * (task_ + 1)};
    int sum[2] = {-1, -1};
    ASSERT_EQ(0, lapwing_tasks_reduce(mine, sum, 2, MPI_INT, MPI_SUM, root, tasks_));
    const int all = count_ * (count_ + 1) / 2;
    EXPECT_EQ(task_ == root ? all : -1, sum[0]);
    EXPECT_EQ(task_ == root ? 10 * all : -1, sum[1]);
    ASSERT_EQ(0, lapwing_tasks_allreduce(mine, sum, 2, MPI_INT, MPI_SUM, tasks_));
    EXPECT_EQ(11 * all, sum[0] + sum[1]);
    std::vector<int> gathered(static_cast<std::size_t>(2 * count_), -1), scattered(2, -1);
    ASSERT_EQ(0, lapwing_tasks_gather(mine, gathered.data(), 2, MPI_INT, root, tasks_));
    for (int t = 0; task_ == root && t < count_; ++t)
      EXPECT_EQ(t + 1, gathered[static_cast<std::size_t>(2 * t)]);
    ASSERT_EQ(0, lapwing_tasks_scatter(gathered.data(), scattered.data(), 2, MPI_INT, root, tasks_));
    EXPECT_EQ(mine[1], scattered[1]);
  }
  std::vector<int> all(static_cast<std::size_t>(2 * count_), -1), swapped(all);
  const int mine[2] = {task_ + 1, 10 * (task_ + 1)};
  ASSERT_EQ(0, lapwing_tasks_allgather(mine, all.data(), 2, MPI_INT, tasks_));
  std::vector<int> out(all);
  for (int t = 0; t < count_; ++t) {
    EXPECT_EQ(t + 1, all[static_cast<std::size_t>(2 * t)]);
    EXPECT_EQ(10 * (t + 1), all[static_cast<std::size_t>(2 * t + 1)]);
    out[static_cast<std::size_t>(2 * t)] = 100 * task_ + t;
  }
  ASSERT_EQ(0, lapwing_tasks_alltoall(out.data(), swapped.data(), 2, MPI_INT, tasks_));
  for (int t = 0; t < count_; ++t) EXPECT_EQ(100 * t + task_, swapped[static_cast<std::size_t>(2 * t)]);
}

TEST_F(Collectives, Reductions) {
  for (const std::int64_t n : {0, 1, 3, 1000}) {
    for (int root = 0; root < count_; ++root) {
      Array a(vector(n), {mine_}, tasks_), sum(vector(n), {mine_}, tasks_);
      a.fill(task_ + 1);
      ASSERT_EQ(0, lapwing_array_reduce(a.local.data(), sum.local.data(), a.size(), a.distribution, MPI_SUM,
                                        root, tasks_));
      const int all = count_ * (count_ + 1) / 2;
      if (task_ == root) {
        EXPECT_EQ(0, sum.wrong(all));
      }
      EXPECT_EQ(0, a.wrong(task_ + 1)) << "what was sent has changed";
      ASSERT_EQ(0, lapwing_array_allreduce(a.local.data(), sum.local.data(), a.size(), a.distribution,
                                           MPI_SUM, tasks_));
      EXPECT_EQ(0, sum.wrong(all));
      ASSERT_EQ(0, lapwing_array_allreduce(a.local.data(), a.local.data(), a.size(), a.distribution, MPI_MAX,
                                           tasks_));
      EXPECT_EQ(0, a.wrong(count_)) << "in place";
    }
  }
}

TEST_F(Collectives, Broadcasts) {
  for (const std::int64_t n : {0, 5, 300})
    for (int root = 0; root < count_; ++root) {
      Array a(vector(n), {mine_}, tasks_);
      if (task_ == root) a.fill(root + 1);
      ASSERT_EQ(0, lapwing_array_bcast(a.local.data(), a.size(), a.distribution, root, tasks_));
      EXPECT_EQ(0, a.wrong(root + 1));
    }
}

TEST_F(Collectives, GatherAndScatter) {
  for (int root = 0; root < count_; ++root) {
    // Tasks have 1, 2, 3 rows of 7.
    const std::int64_t rows = task_ + 1, all = count_ * (count_ + 1) / 2, before = task_ * (task_ + 1) / 2;
    Array part({lapwing_collapsed(rows), lapwing_cyclic(7, 2, 0)}, {mine_}, tasks_);
    Array whole({lapwing_cyclic(all, 1, 0), lapwing_collapsed(7)}, {mine_}, tasks_);
    auto shifted = [&](const auto& index) { return Array::value({index[0] + before, index[1]}, 2); };
    part.each([&](const auto& index, double& here) { here = shifted(index); });
    ASSERT_EQ(0, lapwing_array_gather(part.local.data(), part.size(), part.distribution, whole.local.data(),
                                      whole.size(), whole.distribution, root, tasks_));
    if (task_ == root) {
      EXPECT_EQ(0, whole.wrong(2));
    }
    part.clear();
    ASSERT_EQ(0, lapwing_array_scatter(whole.local.data(), whole.size(), whole.distribution,
                                       part.local.data(), part.size(), part.distribution, root, tasks_));
    int wrong = 0;
    part.each([&](const auto& index, double& here) { wrong += here != shifted(index); });
    EXPECT_EQ(0, wrong);
  }
}

TEST_F(Collectives, AllGatherAndAllToAll) {
  // Tasks have 1, 2, 3 rows of 7; each takes all in its own distribution.
  const std::int64_t rows = task_ + 1, all = count_ * (count_ + 1) / 2, before = task_ * (task_ + 1) / 2;
  Array part({lapwing_collapsed(rows), lapwing_cyclic(7, 2, 0)}, {mine_}, tasks_);
  Array whole({task_ == 1 ? lapwing_block(all, mine_, 0) : lapwing_cyclic(all, 1, 0), lapwing_collapsed(7)},
              {mine_}, tasks_);
  part.each([&](const auto& index, double& here) { here = Array::value({index[0] + before, index[1]}, 2); });
  ASSERT_EQ(0, lapwing_array_allgather(part.local.data(), part.size(), part.distribution, whole.local.data(),
                                       whole.size(), whole.distribution, tasks_));
  EXPECT_EQ(0, whole.wrong(2));

  // Rows 4 t to 4 t + 3 are for task t.
  Array out({lapwing_cyclic(4 * count_, 3, 0), lapwing_collapsed(5)}, {mine_}, tasks_);
  Array in({lapwing_collapsed(4 * count_), lapwing_block(5, mine_, 0)}, {mine_}, tasks_);
  const auto value = [](int from, int to, std::int64_t row, std::int64_t column) {
    return 1000.0 * from + 100.0 * to + 10.0 * static_cast<double>(row) + static_cast<double>(column);
  };
  out.each([&](const auto& index, double& here) {
    here = value(task_, static_cast<int>(index[0] / 4), index[0] % 4, index[1]);
  });
  ASSERT_EQ(0, lapwing_array_alltoall(out.local.data(), out.size(), out.distribution, in.local.data(),
                                      in.size(), in.distribution, tasks_));
  int wrong = 0;
  in.each([&](const auto& index, double& here) {
    wrong += here != value(static_cast<int>(index[0] / 4), task_, index[0] % 4, index[1]);
  });
  EXPECT_EQ(0, wrong);
}

// The example of HPF/MPI 4.1, with costs that come from the schedules.
TEST_F(Collectives, ThreeVectorsPayOneExpensiveRedistribution) {
  if (size_ != 8) return;  // tasks of 3, 3 and 2 processes
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  lapwing_tasks* three = nullptr;
  ASSERT_EQ(0, lapwing_tasks_create(MPI_COMM_WORLD, rank < 3 ? 0 : rank < 5 ? 1 : 2, &three));
  const int task = lapwing_tasks_rank(three), mine = lapwing_tasks_processes(three, task);
  Array v({task == 1 ? lapwing_cyclic(6000, 1, 0) : lapwing_block(6000, mine, 0)}, {mine}, three);
  int steps = 0, from[4], to[4];
  ASSERT_EQ(0, lapwing_array_plan(v.distribution, 1, 0, three, &steps, from, to));
  ASSERT_EQ(2, steps);
  EXPECT_EQ(1, to[1]);
  EXPECT_EQ(2, from[0] + to[0]) << "tasks 0 and 2 are alike";
  EXPECT_NE(1, from[0]);
  ASSERT_EQ(0, lapwing_tasks_free(&three));
}

}  // namespace
}  // namespace lapwing::arrays::testing
