// SPDX-License-Identifier: Apache-2.0
// Gets under passive targets: their bytes arrive behind the flush, and no process can tell.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "lapwing/lapwing.h"

namespace {

constexpr int words = 100'000;

std::uint64_t deferred() {
  static const auto get =
      reinterpret_cast<decltype(&lapwing_get_stats)>(dlsym(RTLD_DEFAULT, "lapwing_get_stats"));
  lapwing_stats stats;
  get(&stats);
  return stats.deferred_receives;
}

// Rank 0 gets from rank 1, whose word i is i + 1000 * its rank until it is changed.
class DeferredGets : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    memory_.resize(words);
    for (int i = 0; i < words; ++i) memory_[static_cast<std::size_t>(i)] = i + 1000 * rank_;
    got_.assign(words + 2, -1);
  }

  void make(int unit = sizeof(double)) {
    MPI_Win_create(memory_.data(), words * sizeof(double), unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win_);
  }
  void free() { MPI_Win_free(&win_); }

  void get(double* to, int from = 0, int count = words) {
    EXPECT_EQ(MPI_Get(to, count, MPI_DOUBLE, 1, from, count, MPI_DOUBLE, win_), MPI_SUCCESS);
  }
  double first_wrong(const double* at, int from = 0, int count = words) const {
    for (int i = 0; i < count; ++i)
      if (at[i] != from + i + 1000) return i;
    return -1;
  }

  // The epoch of rank 0 alone, then all ranks again.
  void at_origin(const std::function<void()>& body) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) {
      MPI_Win_lock_all(0, win_);
      body();
      MPI_Win_unlock_all(win_);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  int rank_ = 0, size_ = 1;
  std::vector<double> memory_, got_;
  MPI_Win win_ = MPI_WIN_NULL;
};

TEST_F(DeferredGets, ArriveBehindTheirFlush) {
  make();
  at_origin([&] {
    const std::uint64_t before = deferred();
    // Neither end is the end of a page.
    get(got_.data() + 1);
    EXPECT_EQ(MPI_Win_flush(1, win_), MPI_SUCCESS);
    EXPECT_EQ(deferred(), before + 1);
    EXPECT_EQ(first_wrong(got_.data() + 1), -1);
    EXPECT_EQ(got_.front(), -1);
    EXPECT_EQ(got_.back(), -1);
  });
  free();
}

TEST_F(DeferredGets, ReadTheirBytesBeforeAnotherProcessCanKnow) {
  make();
  MPI_Win_lock_all(0, win_);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 0) {
    get(got_.data());
    MPI_Win_flush(1, win_);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 1) std::fill(memory_.begin(), memory_.end(), 7);
  MPI_Win_sync(win_);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 0) {
    EXPECT_EQ(first_wrong(got_.data()), -1);
  }
  MPI_Win_unlock_all(win_);
  free();
}

TEST_F(DeferredGets, OfSeveralTargetsEndWithOneFlush) {
  make();
  at_origin([&] {
    std::vector<std::vector<double>> of(static_cast<std::size_t>(size_), std::vector<double>(words));
    for (int target = 0; target < size_; ++target)
      MPI_Get(of[static_cast<std::size_t>(target)].data(), words, MPI_DOUBLE, target, 0, words, MPI_DOUBLE,
              win_);
    MPI_Win_flush_all(win_);
    for (int target = size_ - 1; target >= 0; --target)
      for (int i = words - 1; i >= 0; --i)
        ASSERT_EQ(of[static_cast<std::size_t>(target)][static_cast<std::size_t>(i)], i + 1000 * target);
  });
  free();
}

TEST_F(DeferredGets, ReplaceEachOtherInOneBuffer) {
  make();
  at_origin([&] {
    const int part = words / 2;
    for (int from = 0; from < 3; ++from) {
      get(got_.data(), from, part);
      MPI_Win_flush_local(1, win_);
    }
    EXPECT_EQ(first_wrong(got_.data(), 2, part), -1);
  });
  free();
}

TEST_F(DeferredGets, LeaveThePutsOfTheirFlushToMpi) {
  make();
  std::vector<double> given(words / 2, 5);
  at_origin([&] {
    get(got_.data(), 0, words / 2);
    MPI_Put(given.data(), words / 2, MPI_DOUBLE, 1, words / 2, words / 2, MPI_DOUBLE, win_);
    MPI_Win_flush(1, win_);
    std::fill(given.begin(), given.end(), 6);
    EXPECT_EQ(first_wrong(got_.data(), 0, words / 2), -1);
  });
  if (rank_ == 1) {
    EXPECT_EQ(std::count(memory_.begin() + words / 2, memory_.end(), 5), words / 2);
  }
  free();
}

TEST_F(DeferredGets, EndWithTheirEpoch) {
  make();
  at_origin([&] { get(got_.data()); });
  if (rank_ == 0) {
    EXPECT_EQ(first_wrong(got_.data()), -1);
  }
  free();
}

TEST_F(DeferredGets, AreLeftToMpiBetweenFencesAndWhereUnitsDiffer) {
  make();
  std::uint64_t before = deferred();
  MPI_Win_fence(0, win_);
  if (rank_ == 0) get(got_.data());
  MPI_Win_fence(0, win_);
  if (rank_ == 0) {
    EXPECT_EQ(first_wrong(got_.data()), -1);
  }
  free();
  make(rank_ == 1 ? sizeof(double) : 1);
  before = deferred();
  at_origin([&] {
    get(got_.data());
    MPI_Win_flush(1, win_);
    EXPECT_EQ(first_wrong(got_.data()), -1);
    EXPECT_EQ(deferred(), before);
  });
  free();
}

TEST_F(DeferredGets, ThatMpiRefusesAreRefused) {
  make();
  MPI_Win_set_errhandler(win_, MPI_ERRORS_RETURN);
  at_origin([&] {
    EXPECT_NE(MPI_Get(got_.data(), words, MPI_DOUBLE, size_, 0, words, MPI_DOUBLE, win_), MPI_SUCCESS);
    EXPECT_EQ(MPI_Get(got_.data(), words, MPI_DOUBLE, MPI_PROC_NULL, 0, words, MPI_DOUBLE, win_),
              MPI_SUCCESS);
    MPI_Win_flush_all(win_);
    EXPECT_EQ(std::count(got_.begin(), got_.end(), -1), words + 2);
  });
  free();
}

}  // namespace
