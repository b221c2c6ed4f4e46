// SPDX-License-Identifier: Apache-2.0
// Memory of other processes: gets, puts, handles, and calls that make no sense.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "lapwing/lapwing.h"
#include "lapwing/memory.h"

namespace {

constexpr std::size_t words = 40'000;
constexpr std::size_t bytes = words * sizeof(double);

bool gets_are_deferred() {
  const char* const preloaded = std::getenv("LAPWING_ONE_SIDED");
  return preloaded && std::strcmp(preloaded, "on") == 0;
}

std::uint64_t deferred() {
  const auto get = reinterpret_cast<decltype(&lapwing_get_stats)>(dlsym(RTLD_DEFAULT, "lapwing_get_stats"));
  lapwing_stats stats{};
  if (get) get(&stats);
  return stats.deferred_receives;
}

// Word i of each process' memory is i + 1000 * its rank.
class Memory : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    next_ = (rank_ + 1) % size_;
    ASSERT_EQ(lapwing_memory_allocate(bytes, MPI_COMM_WORLD, &mine_, &window_), MPI_SUCCESS);
    for (std::size_t i = 0; i < words; ++i) mine_[i] = value(rank_, i);
    barrier();
    here_.assign(words + 2, -1);
  }
  void TearDown() override {
    EXPECT_EQ(lapwing_memory_free(&window_), MPI_SUCCESS);
    EXPECT_EQ(window_, MPI_WIN_NULL);
  }

  static double value(int rank, std::size_t i) { return static_cast<double>(i) + 1000.0 * rank; }
  void barrier() { EXPECT_EQ(lapwing_memory_barrier(window_, MPI_COMM_WORLD), MPI_SUCCESS); }
  /// The first word at `at` that is not that of process `of`.
  static std::ptrdiff_t wrong(const double* at, int of, std::size_t count = words) {
    for (std::size_t i = 0; i < count; ++i)
      if (at[i] != value(of, i)) return static_cast<std::ptrdiff_t>(i);
    return -1;
  }

  int rank_ = 0, size_ = 1, next_ = 0;
  double* mine_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<double> here_;
};

TEST_F(Memory, IsReadFromAnyProcess) {
  for (int target = 0; target < size_; ++target) {
    const std::uint64_t before = deferred();
    EXPECT_EQ(lapwing_memget(here_.data() + 1, 0, target, bytes, window_), MPI_SUCCESS);
    if (gets_are_deferred() && target != rank_) {
      EXPECT_EQ(deferred(), before + 1);
    }
    EXPECT_EQ(wrong(here_.data() + 1, target), -1);
    EXPECT_EQ(here_.front(), -1);
    EXPECT_EQ(here_.back(), -1);
  }
}

TEST_F(Memory, IsReadBeforeItsOwnerCanKnow) {
  EXPECT_EQ(lapwing_memget(here_.data(), 0, next_, bytes, window_), MPI_SUCCESS);
  barrier();
  std::fill(mine_, mine_ + words, 7);
  barrier();
  EXPECT_EQ(wrong(here_.data(), next_), -1);
}

TEST_F(Memory, IsWrittenWhenTheCallReturns) {
  std::vector<double> given(words / 2);
  for (std::size_t i = 0; i < given.size(); ++i) given[i] = 1e6 * rank_ + static_cast<double>(i);
  EXPECT_EQ(lapwing_memput(8, next_, given.data(), bytes / 2, window_), MPI_SUCCESS);
  std::fill(given.begin(), given.end(), -2);
  // A process sees its own accesses in their order.
  EXPECT_EQ(lapwing_memget(here_.data(), 0, next_, bytes, window_), MPI_SUCCESS);
  EXPECT_EQ(here_[0], value(next_, 0));
  EXPECT_EQ(here_[1], 1e6 * rank_);
  EXPECT_EQ(here_[words / 2], 1e6 * rank_ + static_cast<double>(words / 2 - 1));
  EXPECT_EQ(here_[words / 2 + 1], value(next_, words / 2 + 1));
  barrier();
  EXPECT_EQ(mine_[0], value(rank_, 0));
  EXPECT_EQ(mine_[1], 1e6 * ((rank_ + size_ - 1) % size_));
}

TEST_F(Memory, IsReadAndWrittenByCallsThatOnlyStart) {
  lapwing_memory_handle get = LAPWING_MEMORY_HANDLE_NULL, put = LAPWING_MEMORY_HANDLE_NULL;
  EXPECT_EQ(lapwing_memory_wait(&get), MPI_SUCCESS);
  const std::vector<double> given(words / 4, 5);
  EXPECT_EQ(lapwing_memput_nb(bytes / 2, next_, given.data(), bytes / 4, window_, &put), MPI_SUCCESS);
  EXPECT_EQ(lapwing_memget_nb(here_.data(), 0, next_, bytes / 2, window_, &get), MPI_SUCCESS);
  EXPECT_EQ(lapwing_memory_wait(&get), MPI_SUCCESS);
  EXPECT_EQ(wrong(here_.data(), next_, words / 2), -1);
  int done = 0;
  while (!done) EXPECT_EQ(lapwing_memory_try(&put, &done), MPI_SUCCESS);
  EXPECT_EQ(put.pieces, 0);
  EXPECT_EQ(lapwing_memory_try(&put, &done), MPI_SUCCESS);
  EXPECT_EQ(done, 1);
  barrier();
  EXPECT_EQ(std::count(mine_ + words / 2, mine_ + words / 4 * 3, 5), static_cast<long>(words / 4));
  EXPECT_EQ(mine_[words / 4 * 3], value(rank_, words / 4 * 3));
}

TEST_F(Memory, NothingHappensWithNoBytesAndWithNoProcess) {
  lapwing_memory_handle handle;
  int done = 0;
  EXPECT_EQ(lapwing_memget(nullptr, static_cast<MPI_Aint>(bytes), next_, 0, window_), MPI_SUCCESS);
  EXPECT_EQ(lapwing_memput(0, MPI_PROC_NULL, nullptr, bytes, window_), MPI_SUCCESS);
  EXPECT_EQ(lapwing_memget_nb(nullptr, 0, MPI_PROC_NULL, bytes, window_, &handle), MPI_SUCCESS);
  EXPECT_EQ(lapwing_memory_try(&handle, &done), MPI_SUCCESS);
  EXPECT_EQ(done, 1);
}

TEST_F(Memory, CallsThatMakeNoSenseAreRefusedWithTheirPlace) {
  MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
  testing::internal::CaptureStderr();
  EXPECT_EQ(lapwing_memget(here_.data(), 0, size_, 8, window_), MPI_ERR_RANK);
  EXPECT_EQ(lapwing_memget(here_.data(), 16, next_, bytes, window_), MPI_ERR_DISP);
  EXPECT_EQ(lapwing_memput(-8, next_, here_.data(), 8, window_), MPI_ERR_DISP);
  EXPECT_EQ(lapwing_memput(0, next_, nullptr, 8, window_), MPI_ERR_BUFFER);
  lapwing_memory_handle handle;
  EXPECT_EQ(lapwing_memget_nb(here_.data(), 0, -7, 8, window_, &handle), MPI_ERR_RANK);
  EXPECT_EQ(lapwing_memory_wait(&handle), MPI_SUCCESS);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("lapwing: lapwing_memget at " __FILE__ ":"), std::string::npos) << said;
  EXPECT_NE(said.find("there is no process " + std::to_string(size_) + " in a window of "), std::string::npos)
      << said;
  EXPECT_NE(said.find("320000 bytes from byte 16 on are not all in process " + std::to_string(next_) +
                      "'s memory, which ends before.\n"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("lapwing: lapwing_memput at "), std::string::npos) << said;
  EXPECT_NE(said.find("8 bytes of the caller's memory are at a null pointer"), std::string::npos) << said;
}

TEST_F(Memory, MayDifferInSize) {
  char* mine = nullptr;
  MPI_Win window;
  const auto size = static_cast<std::size_t>(100 * (rank_ + 1));
  ASSERT_EQ(lapwing_memory_allocate(size, MPI_COMM_WORLD, &mine, &window), MPI_SUCCESS);
  std::fill(mine, mine + size, static_cast<char>('a' + rank_));
  EXPECT_EQ(lapwing_memory_barrier(window, MPI_COMM_WORLD), MPI_SUCCESS);
  std::vector<char> last(100);
  const int target = size_ - 1;
  EXPECT_EQ(lapwing_memget(last.data(), 100 * target, target, 100, window), MPI_SUCCESS);
  EXPECT_EQ(last, std::vector<char>(100, static_cast<char>('a' + target)));
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  testing::internal::CaptureStderr();
  EXPECT_EQ(lapwing_memget(last.data(), 1, 0, 100, window), MPI_ERR_DISP);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(lapwing_memory_free(&window), MPI_SUCCESS);
}

TEST_F(Memory, MayBeAWindowOfTheProgramsOwn) {
  double* own = nullptr;
  MPI_Win window;
  MPI_Win_allocate(bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
  for (std::size_t i = 0; i < words; ++i) own[i] = value(rank_, i);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  MPI_Win_lock_all(0, window);
  lapwing_memory_barrier(window, MPI_COMM_WORLD);
  EXPECT_EQ(lapwing_memget(here_.data(), 800, next_, bytes - 800, window), MPI_SUCCESS);
  EXPECT_EQ(here_[0], value(next_, 100));
  EXPECT_EQ(here_[words - 101], value(next_, words - 1));
  testing::internal::CaptureStderr();
  EXPECT_EQ(lapwing_memget(here_.data(), 13, next_, 8, window), MPI_ERR_DISP);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("byte 13 is no multiple of 8"), std::string::npos);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

}  // namespace
