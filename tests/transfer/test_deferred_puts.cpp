// SPDX-License-Identifier: Apache-2.0
// Puts under passive targets whose flush returns at once, and gets and puts with requests: no process can
// tell.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "lapwing/lapwing.h"

namespace {

constexpr int words = 100'000;

lapwing_stats stats() {
  static const auto get =
      reinterpret_cast<decltype(&lapwing_get_stats)>(dlsym(RTLD_DEFAULT, "lapwing_get_stats"));
  lapwing_stats stats;
  get(&stats);
  return stats;
}

// Rank 0 puts to rank 1, whose words are -1 until then.
class DeferredPuts : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    memory_.assign(words, -1);
    given_.resize(words);
    fill(0);
    MPI_Win_create(memory_.data(), words * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &win_);
  }
  void TearDown() override { MPI_Win_free(&win_); }

  // Word i is i + from.
  void fill(int from) { std::iota(given_.begin(), given_.end(), from); }
  void put(int to = 0, int count = words) {
    EXPECT_EQ(MPI_Put(given_.data(), count, MPI_DOUBLE, 1, to, count, MPI_DOUBLE, win_), MPI_SUCCESS);
  }
  static int first_wrong(const std::vector<double>& at, int from, int begin = 0, int count = words) {
    for (int i = 0; i < count; ++i)
      if (at[static_cast<std::size_t>(begin + i)] != from + i) return begin + i;
    return -1;
  }
  void at_origin(const std::function<void()>& body) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) {
      MPI_Win_lock_all(0, win_);
      body();
      MPI_Win_unlock_all(win_);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    see();
  }
  // This process' own memory, as the others have left it.
  void see() {
    MPI_Win_lock(MPI_LOCK_SHARED, rank_, 0, win_);
    MPI_Win_unlock(rank_, win_);
  }
  void target_has(int from, int begin = 0, int count = words) {
    if (rank_ == 1) {
      EXPECT_EQ(first_wrong(memory_, from, begin, count), -1);
    }
  }

  int rank_ = 0, size_ = 1;
  std::vector<double> memory_, given_;
  MPI_Win win_ = MPI_WIN_NULL;
};

TEST_F(DeferredPuts, TakeTheirBytesBeforeTheProgramChangesThem) {
  at_origin([&] {
    const auto before = stats().deferred_sends;
    put();
    EXPECT_EQ(MPI_Win_flush(1, win_), MPI_SUCCESS);
    EXPECT_EQ(stats().deferred_sends, before + 1);
    std::fill(given_.rbegin(), given_.rend(), 7);
  });
  target_has(0);
}

TEST_F(DeferredPuts, AreThereBeforeAMessageCanTell) {
  MPI_Win_lock_all(0, win_);
  for (int round = 0; round < 5; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) {
      fill(round);
      put();
      round % 2 ? MPI_Win_flush(1, win_) : MPI_Win_flush_all(win_);
      MPI_Send(nullptr, 0, MPI_BYTE, 1, 3, MPI_COMM_WORLD);
    } else if (rank_ == 1) {
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Win_sync(win_);
      EXPECT_EQ(first_wrong(memory_, round), -1);
    }
  }
  MPI_Win_unlock_all(win_);
}

// The target waits in its own memory for the second put, and calls no function of MPI's that tells of it.
TEST_F(DeferredPuts, AreThereBeforeTheNextOne) {
  MPI_Win_lock_all(0, win_);
  MPI_Win_sync(win_);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 0) {
    put(0, words - 1);
    MPI_Win_flush(1, win_);
    const double one = 1;
    MPI_Put(&one, 1, MPI_DOUBLE, 1, words - 1, 1, MPI_DOUBLE, win_);
    MPI_Win_flush(1, win_);
  } else if (rank_ == 1) {
    const volatile double* const told = &memory_[words - 1];
    for (int flag = 0; *told != 1;) MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(first_wrong(memory_, 0, 0, words - 1), -1);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win_);
}

TEST_F(DeferredPuts, AreSeenByTheNextGet) {
  at_origin([&] {
    std::vector<double> got(words);
    for (int round = 0; round < 3; ++round) {
      fill(10 * round);
      put();
      MPI_Win_flush(1, win_);
      MPI_Get(got.data(), words, MPI_DOUBLE, 1, 0, words, MPI_DOUBLE, win_);
      MPI_Win_flush_local(1, win_);
      EXPECT_EQ(first_wrong(got, 10 * round), -1);
    }
  });
}

TEST_F(DeferredPuts, FollowEachOtherWithOneFlush) {
  constexpr int part = words / 4;
  at_origin([&] {
    const auto before = stats().deferred_sends;
    for (int i = 0; i < 4; ++i)
      MPI_Put(&given_[static_cast<std::size_t>(i * part)], part, MPI_DOUBLE, 1, i * part, part, MPI_DOUBLE,
              win_);
    EXPECT_EQ(stats().deferred_sends, before + 4);
    MPI_Win_flush_local_all(win_);
    std::fill(given_.begin(), given_.end(), 7);
    MPI_Win_flush(1, win_);
  });
  target_has(0, 0, 4 * part);
}

TEST_F(DeferredPuts, MeetAccumulatesInOrder) {
  const std::vector<double> ones(words, 1);
  at_origin([&] {
    put();
    MPI_Win_flush(1, win_);
    MPI_Accumulate(ones.data(), words, MPI_DOUBLE, 1, 0, words, MPI_DOUBLE, MPI_SUM, win_);
    MPI_Win_flush_local(1, win_);
    MPI_Win_flush(1, win_);
  });
  target_has(1);
}

// Nothing is closed any more, and the promise is not kept yet.
TEST_F(DeferredPuts, LetTheProgramFork) {
  at_origin([&] {
    put();
    MPI_Win_flush(1, win_);
    std::fill(given_.begin(), given_.end(), 7);
    const pid_t child = fork();
    if (child == 0) _exit(given_[words / 2] == 7 ? 3 : 4);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 3);
  });
  target_has(0);
}

TEST_F(DeferredPuts, OutOfAnExposedBufferAreLeftToMpi) {
  at_origin([&] {
    const auto before = stats().deferred_sends;
    MPI_Put(memory_.data(), words / 2, MPI_DOUBLE, 1, 0, words / 2, MPI_DOUBLE, win_);
    MPI_Win_flush(1, win_);
    EXPECT_EQ(stats().deferred_sends, before);
  });
}

TEST_F(DeferredPuts, EndWithTheirEpoch) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 0) {
    for (int round = 0; round < 3; ++round) {
      MPI_Win_lock(round == 1 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 1, 0, win_);
      fill(round);
      put();
      if (round == 2) MPI_Win_flush_local(1, win_);
      MPI_Win_unlock(1, win_);
      std::fill(given_.begin(), given_.end(), 9);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  see();
  target_has(2);
}

class DeferredRequests : public DeferredPuts {};

TEST_F(DeferredRequests, OfPutsEndTheirWait) {
  at_origin([&] {
    const auto before = stats().deferred_sends;
    MPI_Request request;
    MPI_Rput(given_.data(), words, MPI_DOUBLE, 1, 0, words, MPI_DOUBLE, win_, &request);
    MPI_Status status;
    EXPECT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(stats().deferred_sends, before + 1);
    std::fill(given_.begin(), given_.end(), 7);
    MPI_Win_flush(1, win_);
  });
  target_has(0);
}

TEST_F(DeferredRequests, OfGetsEndTheirWaits) {
  if (rank_ == 1) std::iota(memory_.begin(), memory_.end(), 3);
  see();
  at_origin([&] {
    const auto before = stats().deferred_receives;
    std::vector<std::vector<double>> got(3, std::vector<double>(words));
    MPI_Request requests[4];
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < 3; ++i)
        MPI_Rget(got[i].data(), words, MPI_DOUBLE, 1, 0, words, MPI_DOUBLE, win_, &requests[i]);
      requests[3] = MPI_REQUEST_NULL;
      if (round == 0) MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
      for (int left = 3, done = 0; round == 1 && left > 0; --left)
        MPI_Waitany(4, requests, &done, MPI_STATUS_IGNORE);
      for (int done = 0, i = 0; round == 2 && i < 3;) {
        MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
        i += done;
      }
      for (auto& one : got) {
        EXPECT_EQ(first_wrong(one, 3), -1);
        std::fill(one.begin(), one.end(), 0);
      }
      EXPECT_TRUE(
          std::all_of(requests, requests + 4, [](MPI_Request one) { return one == MPI_REQUEST_NULL; }));
    }
    EXPECT_EQ(stats().deferred_receives, before + 9);
  });
}

// A wait for requests of both kinds is the messages' own.
TEST_F(DeferredRequests, MixWithThoseOfMessages) {
  if (rank_ == 1) std::iota(memory_.begin(), memory_.end(), 3);
  see();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request sent = MPI_REQUEST_NULL;
  if (rank_ == 1) MPI_Isend(given_.data(), words, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, &sent);
  at_origin([&] {
    std::vector<double> got(words), received(words);
    MPI_Request requests[2];
    MPI_Irecv(received.data(), words, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Rget(got.data(), words, MPI_DOUBLE, 1, 0, words, MPI_DOUBLE, win_, &requests[1]);
    MPI_Status statuses[2];
    EXPECT_EQ(MPI_Waitall(2, requests, statuses), MPI_SUCCESS);
    int count = 0;
    MPI_Get_count(&statuses[0], MPI_DOUBLE, &count);
    EXPECT_EQ(count, words);
    EXPECT_EQ(first_wrong(got, 3), -1);
    EXPECT_EQ(first_wrong(received, 0), -1);
  });
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

// A get into this process' own window, where another process puts what MPI then writes here.
TEST_F(DeferredRequests, IntoAnExposedBufferAreLeftToMpi) {
  MPI_Win_lock_all(0, win_);
  MPI_Win_sync(win_);
  MPI_Barrier(MPI_COMM_WORLD);
  const int other = (rank_ + 1) % size_;
  const auto before = stats();
  MPI_Get(memory_.data() + words / 2, words / 4, MPI_DOUBLE, other, 0, words / 4, MPI_DOUBLE, win_);
  MPI_Win_flush(other, win_);
  EXPECT_EQ(stats().deferred_receives, before.deferred_receives);
  MPI_Win_unlock_all(win_);
}

}  // namespace
