// SPDX-License-Identifier: Apache-2.0
// Memory of other processes in C++: elements, spans and scopes.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "lapwing/memory.hpp"

namespace {

TEST(MemoryInCpp, HasElements) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  constexpr std::size_t count = 30'000;
  lapwing::Memory<int> memory(count, MPI_COMM_WORLD);
  ASSERT_EQ(memory.mine().size(), count);
  std::iota(memory.mine().begin(), memory.mine().end(), 1'000'000 * rank);
  memory.barrier();

  const int next = (rank + 1) % size;
  std::vector<int> copy(count - 10);
  memory.get(copy, next, 10);
  EXPECT_EQ(copy.front(), 1'000'000 * next + 10);
  EXPECT_EQ(copy.back(), 1'000'000 * next + static_cast<int>(count) - 1);
  memory.barrier();

  const std::vector<int> given(10, -rank - 1);
  memory.put(given, next, 5);
  lapwing::MemoryAccess put;
  EXPECT_TRUE(put.done());
  put = memory.start_put(std::span(given).first(3), next, count - 3);
  { const auto get = memory.start_get(std::span(copy).first(6), next, 100); }
  EXPECT_EQ(copy[5], 1'000'000 * next + 105);
  while (!put.done()) continue;
  put.wait();
  memory.barrier();
  const int before = (rank + size - 1) % size;
  EXPECT_EQ(std::count(memory.mine().begin(), memory.mine().end(), -before - 1), 13);
  EXPECT_EQ(memory.mine()[4], 1'000'000 * rank + 4);
  EXPECT_EQ(memory.mine()[15], 1'000'000 * rank + 15);
}

TEST(MemoryInCpp, ThrowsWhereErrorsReturn) {
  lapwing::Memory<double> memory(4, MPI_COMM_WORLD);
  MPI_Win_set_errhandler(memory.window(), MPI_ERRORS_RETURN);
  std::vector<double> copy(4);
  testing::internal::CaptureStderr();
  try {
    memory.get(copy, 0, 1);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const lapwing::MemoryError& error) {
    EXPECT_EQ(error.code(), MPI_ERR_DISP);
  }
  EXPECT_NE(testing::internal::GetCapturedStderr().find("lapwing: lapwing_memget at " __FILE__ ":"),
            std::string::npos);
}

}  // namespace
