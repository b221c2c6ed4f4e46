// SPDX-License-Identifier: Apache-2.0
// Bad input: both sides get an error that names what differs, and nobody hangs.
#include <cstring>
#include <string>

#include "arrays/arrays_support.hpp"
#include "lapwing/arrays.hpp"

namespace lapwing::arrays::testing {
namespace {

class Errors : public TwoTasks {
 protected:
  void SetUp() override {
    TwoTasks::SetUp();
    // After any error this transfer works.
    EXPECT_EQ(0, transfer(rows(6)));
  }
  void TearDown() override { EXPECT_EQ(0, transfer(rows(6))); }

  std::vector<lapwing_dimension> rows(std::int64_t n) const {
    return {lapwing_block(n, mine_, 0), lapwing_collapsed(n)};
  }
  int transfer(const std::vector<lapwing_dimension>& dimensions, std::int64_t missing = 0) {
    Array a(dimensions, {mine_}, tasks_);
    return call(a.local.data(), a.size() - missing, a.distribution);
  }
  int call(void* local, std::int64_t elements, const lapwing_distribution* distribution) {
    if (task_ == 0) return lapwing_array_send(local, elements, distribution, 1, 5, tasks_);
    lapwing_array_status status;
    const int code = lapwing_array_recv(local, elements, distribution, 0, 5, tasks_, &status);
    EXPECT_EQ(code, status.error);
    return code;
  }
  // All of these are in the sentence.
  static void says(const std::vector<std::string>& words) {
    const std::string sentence = lapwing_array_error_string();
    for (const std::string& word : words)
      EXPECT_NE(std::string::npos, sentence.find(word)) << word << " in: " << sentence;
  }
};

TEST_F(Errors, Shapes) {
  EXPECT_EQ(LAPWING_ARRAY_ERR_SHAPE, transfer(rows(task_ == 0 ? 10 : 11)));
  says({"task 0", "task 1", "rank", "10", "11", "imension"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_SHAPE,
            transfer(task_ == 0 ? rows(10) : std::vector<lapwing_dimension>{lapwing_block(10, mine_, 0)}));
}

TEST_F(Errors, ElementTypes) {
  const lapwing_dimension dimension = lapwing_block(100, mine_, 0);
  const lapwing_grid grid{1, &mine_, LAPWING_ROW_MAJOR, nullptr};
  lapwing_distribution *made = nullptr, *converting = nullptr;
  ASSERT_EQ(0, lapwing_distribution_create(task_ == 0 ? LAPWING_FLOAT64 : LAPWING_FLOAT32, 1, &dimension,
                                           &grid, LAPWING_ROW_MAJOR, nullptr, &made));
  std::vector<double> local(100, 2.5);
  EXPECT_EQ(LAPWING_ARRAY_ERR_TYPE, call(local.data(), 100, made));
  says({"task 0", "task 1", "float64", "float32"});
  ASSERT_EQ(0, lapwing_distribution_converting(made, &converting));
  EXPECT_EQ(0, call(local.data(), 100, converting));
  if (task_ == 1 && lapwing_distribution_position(made, rank_, std::vector<std::int64_t>{0}.data()) == 0) {
    float first = 0;
    std::memcpy(&first, local.data(), sizeof first);
    EXPECT_EQ(2.5f, first);
  }
  lapwing_distribution_free(&made);
  lapwing_distribution_free(&converting);
}

TEST_F(Errors, AGridThatTheTaskDoesNotHave) {
  // The sender's grid has one process more than its task.
  const int processes = task_ == 0 ? mine_ + 1 : mine_;
  const lapwing_dimension dimension = lapwing_block(100, processes, 0);
  const lapwing_grid grid{1, &processes, LAPWING_ROW_MAJOR, nullptr};
  lapwing_distribution* made = nullptr;
  ASSERT_EQ(0, lapwing_distribution_create(LAPWING_FLOAT64, 1, &dimension, &grid, LAPWING_ROW_MAJOR, nullptr,
                                           &made));
  std::vector<double> local(100);
  EXPECT_EQ(LAPWING_ARRAY_ERR_GRID, call(local.data(), 100, made));
  says({"task 0", "rank", std::to_string(lapwing_tasks_processes(tasks_, 0))});
  lapwing_distribution_free(&made);
}

TEST_F(Errors, ATaskThatIsNotThere) {
  Array a(rows(5), {mine_}, tasks_);
  EXPECT_EQ(LAPWING_ARRAY_ERR_TASK,
            lapwing_array_send(a.local.data(), a.size(), a.distribution, 7, 0, tasks_));
  says({"no task 7", "0 to 1"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_TASK,
            lapwing_array_recv(a.local.data(), a.size(), a.distribution, task_, 0, tasks_, nullptr));
  EXPECT_EQ(0, lapwing_array_send(a.local.data(), a.size(), a.distribution, LAPWING_TASK_NULL, 0, tasks_));
}

TEST_F(Errors, LocalMemoryThatIsTooSmall) {
  // On the last process of one side; all processes of both learn it.
  for (const int side : {0, 1}) {
    const bool here = task_ == side && rank_ == mine_ - 1;
    EXPECT_EQ(LAPWING_ARRAY_ERR_BUFFER, transfer(rows(20), here ? 1 : 0));
    says({"task " + std::to_string(side),
          "rank " + std::to_string(lapwing_tasks_processes(tasks_, side) - 1)});
  }
}

TEST_F(Errors, ProcessesOfATaskThatDisagree) {
  if (lapwing_tasks_processes(tasks_, 0) < 2) return;
  Array a(rows(task_ == 0 && rank_ == 0 ? 12 : 13), {mine_}, tasks_);
  EXPECT_EQ(LAPWING_ARRAY_ERR_DIFFERS, call(a.local.data(), a.size(), a.distribution));
  says({"task 0"});
}

TEST_F(Errors, OfPersistentRequests) {
  Array a(rows(task_ == 0 ? 10 : 11), {mine_}, tasks_);
  lapwing_array_request* request = nullptr;
  const int code =
      task_ == 0 ? lapwing_array_send_init(a.local.data(), a.size(), a.distribution, 1, 0, tasks_, &request)
                 : lapwing_array_recv_init(a.local.data(), a.size(), a.distribution, 0, 0, tasks_, &request);
  ASSERT_EQ(0, code);
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(0, lapwing_array_start(request));
    EXPECT_EQ(LAPWING_ARRAY_ERR_STATE, lapwing_array_start(request));
    EXPECT_EQ(LAPWING_ARRAY_ERR_SHAPE, lapwing_array_wait(&request, nullptr));
  }
  lapwing_array_request_free(&request);
}

TEST_F(Errors, CollectivesOfUnequalShapes) {
  Array a(rows(task_ == 0 ? 10 : 11), {mine_}, tasks_);
  EXPECT_EQ(LAPWING_ARRAY_ERR_SHAPE,
            lapwing_array_bcast(a.local.data(), a.size(), a.distribution, 0, tasks_));
  EXPECT_EQ(LAPWING_ARRAY_ERR_SHAPE, lapwing_array_allreduce(a.local.data(), a.local.data(), a.size(),
                                                             a.distribution, MPI_SUM, tasks_));
}

TEST_F(Errors, DescriptionsThatMakeNoSense) {
  const int two = 2;
  const lapwing_grid grid{1, &two, LAPWING_ROW_MAJOR, nullptr};
  lapwing_dimension dimension = lapwing_cyclic(10, 0, 0);
  lapwing_distribution* made = nullptr;
  auto create = [&] {
    return lapwing_distribution_create(LAPWING_FLOAT64, 1, &dimension, &grid, LAPWING_ROW_MAJOR, nullptr,
                                       &made);
  };
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, create());
  dimension = lapwing_cyclic(10, 2, 1);
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, create());
  dimension = lapwing_cyclic(-1, 2, 0);
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, create());
  EXPECT_EQ(LAPWING_ARRAY_ERR_TYPE, lapwing_distribution_create(77, 1, &dimension, &grid, 0, nullptr, &made));
  EXPECT_EQ(nullptr, made);
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, lapwing_array_send(nullptr, 0, nullptr, 1 - task_, 0, tasks_));
}

TEST_F(Errors, SectionsOfWhatIsNotReceived) {
  Array a(rows(6), {mine_}, tasks_), b(rows(6), {mine_}, tasks_);
  const lapwing_distribution* distributions[] = {a.distribution, b.distribution};
  const std::int64_t sizes[] = {a.size(), b.size()}, first[] = {0, 0}, count[] = {1, 1};
  void* locals[] = {a.local.data(), b.local.data()};
  lapwing_array_request* request = nullptr;
  ASSERT_EQ(0, task_ == 0
                   ? lapwing_array_isend_many(2, locals, sizes, distributions, 1, 21, tasks_, &request)
                   : lapwing_array_irecv_many(2, locals, sizes, distributions, 0, 21, tasks_, &request));
  int landed = 0;
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, lapwing_array_wait_section(request, first, count));
  says({task_ == 0 ? "does not receive" : "several arrays"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, lapwing_array_test_section(request, first, count, &landed));
  EXPECT_EQ(0, lapwing_array_wait(&request, nullptr));
  EXPECT_EQ(0, lapwing_array_test_section(request, first, count, &landed));
  EXPECT_EQ(1, landed) << "a request that is complete";
}

TEST_F(Errors, GhostsThatCannotBeUpdated) {
  lapwing_dimension dimension = lapwing_block(20, mine_, 0);
  dimension.ghost_above = 1;
  Array a({dimension, lapwing_collapsed(3)}, {mine_}, tasks_);
  const auto update = [&](const Array& array, std::int64_t missing = 0, int ghosts = LAPWING_GHOSTS_FACES) {
    return lapwing_array_update_ghosts(const_cast<double*>(array.local.data()), array.size() - missing,
                                       array.distribution, ghosts, nullptr, tasks_);
  };
  EXPECT_EQ(0, update(a));
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, update(a, 0, 2));
  says({"ghosts 2", "enum lapwing_ghosts", "rank"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_BUFFER, update(a, rank_ == mine_ - 1 ? 1 : 0));
  says({"rank " + std::to_string(mine_ - 1)});
  // A section has no ghosts.
  const std::int64_t first[] = {0, 0}, count[] = {20, 2};
  lapwing_distribution* section = nullptr;
  ASSERT_EQ(0, lapwing_distribution_section(a.distribution, first, count, nullptr, nullptr, &section));
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT,
            lapwing_array_update_ghosts(a.local.data(), a.size(), section, 0, nullptr, tasks_));
  says({"section", "whole array"});
  lapwing_distribution_free(&section);
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, lapwing_array_update_ghosts(nullptr, 0, nullptr, 0, nullptr, tasks_));
  says({"distribution is null"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT,
            lapwing_array_update_ghosts(a.local.data(), a.size(), a.distribution, 0, nullptr, nullptr));
  // Of a grid that the task does not have.
  Array larger({dimension, lapwing_collapsed(3)}, {mine_ + 1}, tasks_);
  EXPECT_EQ(LAPWING_ARRAY_ERR_GRID, update(larger));
  // The error of a persistent one comes with its wait.
  lapwing_array_request* request = nullptr;
  ASSERT_EQ(0, lapwing_array_update_ghosts_init(a.local.data(), a.size(), a.distribution, -1, nullptr, tasks_,
                                                &request));
  EXPECT_EQ(0, lapwing_array_start(request));
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, lapwing_array_wait(&request, nullptr));
  EXPECT_EQ(0, lapwing_array_request_free(&request));
  if (mine_ < 2) return;
  // Blocks that go round, and processes that disagree on layers, corners or periods.
  lapwing_dimension round = lapwing_cyclic(20, 2, 0);
  round.ghost_below = 1;
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, update(Array({round}, {mine_}, tasks_)));
  says({"dimension 0", "round", "blocks of 2"});
  dimension.ghost_above = rank_ == 0 ? 2 : 1;
  EXPECT_EQ(LAPWING_ARRAY_ERR_DIFFERS, update(Array({dimension}, {mine_}, tasks_)));
  says({"ghost layers"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_DIFFERS, update(a, 0, rank_ == 0 ? 1 : 0));
  // No flags, and flags that are all 0, say the same.
  const int nowhere[] = {0, 0};
  EXPECT_EQ(0, lapwing_array_update_ghosts(a.local.data(), a.size(), a.distribution, 0,
                                           rank_ == 0 ? nowhere : nullptr, tasks_));
  const int periodic[] = {rank_, 0};
  EXPECT_EQ(LAPWING_ARRAY_ERR_DIFFERS,
            lapwing_array_update_ghosts(a.local.data(), a.size(), a.distribution, 0, periodic, tasks_));
}

TEST_F(Errors, TheAttachedBuffer) {
  Array a(rows(10), {mine_}, tasks_);
  std::vector<char> little(8);
  EXPECT_EQ(0, lapwing_array_buffer_attach(little.data(), 8));
  EXPECT_EQ(LAPWING_ARRAY_ERR_STATE, lapwing_array_buffer_attach(little.data(), 8));
  const int code = task_ == 0
                       ? lapwing_array_bsend(a.local.data(), a.size(), a.distribution, 1, 3, tasks_)
                       : lapwing_array_recv(a.local.data(), a.size(), a.distribution, 0, 3, tasks_, nullptr);
  EXPECT_EQ(LAPWING_ARRAY_ERR_BUFFER, code);
  void* address = nullptr;
  std::int64_t bytes = 0;
  EXPECT_EQ(0, lapwing_array_buffer_detach(&address, &bytes));
  EXPECT_EQ(LAPWING_ARRAY_ERR_STATE, lapwing_array_buffer_detach(&address, &bytes));
}

}  // namespace
}  // namespace lapwing::arrays::testing
