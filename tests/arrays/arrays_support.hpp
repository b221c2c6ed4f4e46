// SPDX-License-Identifier: Apache-2.0
// Arrays for the tests of the C API: filled with numbers that follow from the
// element's index, and looked at again.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lapwing/arrays.h"

namespace lapwing::arrays::testing {

struct Array {
  lapwing_distribution* distribution = nullptr;
  std::vector<double> local;
  int rank = 0;

  Array(const std::vector<lapwing_dimension>& dimensions, const std::vector<int>& grid,
        const lapwing_tasks* tasks, int order = LAPWING_ROW_MAJOR)
      : rank(lapwing_tasks_process_rank(tasks)) {
    const lapwing_grid over{static_cast<int>(grid.size()), grid.data(), LAPWING_ROW_MAJOR, nullptr};
    EXPECT_EQ(0, lapwing_distribution_create(LAPWING_FLOAT64, static_cast<int>(dimensions.size()),
                                             dimensions.data(), &over, order, nullptr, &distribution));
    lapwing_local_part part;
    lapwing_distribution_local(distribution, rank, &part, nullptr, nullptr, nullptr);
    local.assign(static_cast<std::size_t>(part.allocated), -1.0);
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { lapwing_distribution_free(&distribution); }

  std::int64_t size() const { return static_cast<std::int64_t>(local.size()); }

  /// The value of the element at this place of the whole array.
  static double value(const std::vector<std::int64_t>& index, double scale) {
    double sum = 0;
    for (const std::int64_t i : index) sum = sum * 1000 + static_cast<double>(i) + 1;
    return sum * scale;
  }
  template <typename Visit>
  void each(Visit visit) {
    const auto dimensions = static_cast<std::size_t>(lapwing_distribution_dimensions(distribution));
    std::vector<std::int64_t> index(dimensions);
    // Asked for once: most arrays are filled and looked at many times.
    if (places_.empty()) {
      for (std::size_t p = 0; p < local.size(); ++p) {
        if (lapwing_distribution_index(distribution, rank, static_cast<std::int64_t>(p), index.data()) != 0)
          continue;
        places_.push_back(p);
        indices_.insert(indices_.end(), index.begin(), index.end());
      }
    }
    auto next = indices_.cbegin();
    for (const std::size_t p : places_) {
      std::copy_n(next, dimensions, index.begin());
      next += static_cast<std::ptrdiff_t>(dimensions);
      visit(index, local[p]);
    }
  }
  void fill(double scale) {
    each([&](const auto& index, double& here) { here = value(index, scale); });
  }
  void clear() { std::fill(local.begin(), local.end(), -1.0); }
  /// The number of elements that are not what they should be.
  int wrong(double scale) {
    int count = 0;
    each([&](const auto& index, double& here) { count += here != value(index, scale); });
    return count;
  }

 private:
  std::vector<std::size_t> places_;    // those of `local` that hold an element
  std::vector<std::int64_t> indices_;  // of each, one for each dimension
};

/// The first half of the processes is task 0; with one process there is one task.
inline lapwing_tasks* two_tasks(int first = 0) {
  int size = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (first == 0) first = (size + 1) / 2;
  lapwing_tasks* tasks = nullptr;
  EXPECT_EQ(0, lapwing_tasks_create(MPI_COMM_WORLD, rank < first ? 0 : 1, &tasks));
  return tasks;
}

/// Two tasks whose calls return errors.
class TwoTasks : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    lapwing_array_errors_return(1);
    tasks_ = two_tasks();
  }
  static void TearDownTestSuite() {
    EXPECT_EQ(0, lapwing_tasks_free(&tasks_));
    lapwing_array_errors_return(0);
  }
  void SetUp() override {
    task_ = lapwing_tasks_rank(tasks_);
    mine_ = lapwing_tasks_processes(tasks_, task_);
    rank_ = lapwing_tasks_process_rank(tasks_);
  }

  static inline lapwing_tasks* tasks_ = nullptr;
  int task_ = 0, mine_ = 0, rank_ = 0;  ///< this process' task, how many it has, and its rank there
};

}  // namespace lapwing::arrays::testing
