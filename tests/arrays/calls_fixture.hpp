// SPDX-License-Identifier: Apache-2.0
// Two tasks of as equal sizes as can be, for the tests of calls between them.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "arrays/arrays_support.hpp"

namespace lapwing::arrays::testing {

class Calls : public ::testing::Test {
 protected:
  // Making a communicator costs more than most tests, and what one leaves behind
  // the next one meets.
  static void SetUpTestSuite() { tasks_ = two_tasks(); }
  static void TearDownTestSuite() { EXPECT_EQ(0, lapwing_tasks_free(&tasks_)); }
  void SetUp() override {
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    lapwing_tasks_strategy(tasks_, LAPWING_STRATEGY_AUTOMATIC);
    task_ = lapwing_tasks_rank(tasks_);
    mine_ = lapwing_tasks_processes(tasks_, task_);
    pair_ = lapwing_tasks_size(tasks_) == 2;
  }
  std::vector<lapwing_dimension> rows(std::int64_t n) const {
    return {lapwing_block(n, mine_, 0), lapwing_collapsed(n)};
  }
  std::vector<lapwing_dimension> columns(std::int64_t n) const {
    return {lapwing_collapsed(n), lapwing_cyclic(n, 3, 0)};
  }

  int size_ = 0, task_ = 0, mine_ = 0;
  bool pair_ = false;
  static inline lapwing_tasks* tasks_ = nullptr;
};

}  // namespace lapwing::arrays::testing
