// SPDX-License-Identifier: Apache-2.0
// MPI_Allgather, MPI_Gather, MPI_Scatter, their forms with counts, and MPI_Bcast of a program that knows
// nothing of Lapwing: every byte is what MPI promises, whatever the program does next.
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "collectives/exchange.hpp"

namespace {

using lapwing::test::byte_of;
using lapwing::test::Bytes;
using lapwing::test::stats;
using lapwing::test::untouched;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Blocks of one for each process, of any sizes, with gaps; some are empty.
struct Uneven {
  Uneven(unsigned seed, int size) : round(seed) {
    std::mt19937 random(seed * 131 + static_cast<unsigned>(size));
    for (int i = 0; i < size; ++i) {
      all += static_cast<int>(random() % 3 == 0 ? random() % 5000 : random() % 40);
      counts.push_back(random() % 5 == 0 ? 0 : static_cast<int>(random() % 70000));
      places.push_back(all);
      all += counts.back();
    }
    all += 7;
  }
  Bytes empty() const { return Bytes(at(all), untouched); }
  // Writes the bytes that process `from` gives to `to`, at the place of process `which`.
  void put(Bytes& bytes, int which, int from, int to) const {
    for (int i = 0; i < counts[at(which)]; ++i)
      bytes[at(places[at(which)] + i)] = byte_of(round, from, to, at(i));
  }
  Bytes block(int which, int from, int to) const {
    Bytes bytes(at(counts[at(which)]));
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(round, from, to, i);
    return bytes;
  }
  unsigned round;
  std::vector<int> counts, places;
  int all = 0;
};

class OneToAll : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    const char* mode = std::getenv("LAPWING_COLLECTIVES");
    all_deferred_ = mode && std::strcmp(mode, "on") == 0;
  }
  // From the end, so that strips are overtaken.
  static void reuse(Bytes& bytes) { std::fill(bytes.rbegin(), bytes.rend(), 0); }

  int rank_ = 0, size_ = 1;
  bool all_deferred_ = false;
};

void expect_equal(const Bytes& got, const Bytes& wanted, const char* which) {
  ASSERT_EQ(got.size(), wanted.size());
  std::size_t wrong = 0, first = got.size();
  for (std::size_t i = got.size(); i-- > 0;) {
    if (got[i] == wanted[i]) continue;
    ++wrong;
    first = i;
  }
  EXPECT_EQ(wrong, 0u) << which << ": the first of them is byte " << first << " of " << got.size();
}

TEST_F(OneToAll, BcastOfAnySizeFromAnyRoot) {
  unsigned round = 0;
  for (const int count : {0, 1, 8288, 15000, 65537, 300001}) {
    for (int root = 0; root < size_; ++root) {
      Bytes data(at(count), untouched), wanted(at(count));
      ++round;
      for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = byte_of(round, root, 0, i);
      if (rank_ == root) data = wanted;
      ASSERT_EQ(MPI_Bcast(data.data(), count, MPI_BYTE, root, MPI_COMM_WORLD), MPI_SUCCESS);
      if (rank_ != root) expect_equal(data, wanted, "bcast");
      reuse(data);
    }
  }
}

// Those in the middle of the tree pass on what they get into elements that are no run.
TEST_F(OneToAll, BcastBetweenOtherTypes) {
  const int count = 20000;
  MPI_Datatype spread;
  MPI_Type_vector(count, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  for (int root = 0; root < size_; ++root) {
    const bool spreads = (rank_ + root) % 2 == 1;
    std::vector<int> data(2 * at(count), -1);
    if (rank_ == root)
      for (int i = 0; i < count; ++i) data[at(spreads ? 2 * i : i)] = i * 3 + root;
    MPI_Bcast(data.data(), spreads ? 1 : count, spreads ? spread : MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < count; ++i) ASSERT_EQ(data[at(spreads ? 2 * i : i)], i * 3 + root);
    if (spreads) {
      for (int i = 0; i + 1 < count; ++i) ASSERT_EQ(data[at(2 * i + 1)], -1);
    }
  }
  MPI_Type_free(&spread);
}

TEST_F(OneToAll, AllgatherOfEqualBlocks) {
  for (const int count : {1, 9000, 20000, 65537}) {
    Bytes sent(at(count)), got(at(count * size_), untouched), wanted(got.size());
    for (int from = 0; from < size_; ++from)
      for (int i = 0; i < count; ++i) wanted[at(from * count + i)] = byte_of(2, from, 0, at(i));
    std::copy_n(wanted.begin() + rank_ * count, count, sent.begin());
    ASSERT_EQ(MPI_Allgather(sent.data(), count, MPI_BYTE, got.data(), count, MPI_BYTE, MPI_COMM_WORLD),
              MPI_SUCCESS);
    reuse(sent);
    expect_equal(got, wanted, "allgather");
    // In place, and what has come is sent on at once.
    Bytes all(got.size(), untouched);
    std::copy_n(wanted.begin() + rank_ * count, count, all.begin() + rank_ * count);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), count, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Allgather(all.data() + (rank_ + 1) % size_ * count, count, MPI_BYTE, got.data(), count, MPI_BYTE,
                  MPI_COMM_WORLD);
    reuse(all);
    std::rotate(wanted.begin(), wanted.begin() + count, wanted.end());
    expect_equal(got, wanted, "of what has come");
  }
}

TEST_F(OneToAll, AllgathervOfAnySizes) {
  for (unsigned round = 0; round < 8; ++round) {
    const Uneven blocks(round, size_);
    const bool in_place = round % 4 == 3;
    Bytes wanted = blocks.empty(), got = blocks.empty(), sent = blocks.block(rank_, rank_, 0);
    for (int from = 0; from < size_; ++from) blocks.put(wanted, from, from, 0);
    if (in_place) blocks.put(got, rank_, rank_, 0);
    ASSERT_EQ(MPI_Allgatherv(in_place ? MPI_IN_PLACE : sent.data(),
                             in_place ? 0 : static_cast<int>(sent.size()), MPI_BYTE, got.data(),
                             blocks.counts.data(), blocks.places.data(), MPI_BYTE, MPI_COMM_WORLD),
              MPI_SUCCESS);
    reuse(sent);
    expect_equal(got, wanted, "allgatherv");
  }
}

// MPI forbids it, but a plain call ends: short blocks and long ones in one place. The block that stays meets
// those that have come already.
TEST_F(OneToAll, BlocksInOnePlaceEnd) {
  std::vector<int> counts, places(at(size_), 0);
  for (int i = 0; i < size_; ++i) counts.push_back(i % 2 == 0 ? 9000 : 60000);
  for (unsigned char round = 0; round < 6; ++round) {
    Bytes got(60000, untouched), sent(at(counts[at(rank_)]), round);
    if (rank_ % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    int any = 0;
    MPI_Iprobe(0, 0, MPI_COMM_SELF, &any, MPI_STATUS_IGNORE);  // MPI takes what has come
    ASSERT_EQ(MPI_Allgatherv(sent.data(), counts[at(rank_)], MPI_BYTE, got.data(), counts.data(),
                             places.data(), MPI_BYTE, MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(std::count(got.begin(), got.end(), round), 60000);
  }
}

// Arguments that count at the root alone are none elsewhere.
TEST_F(OneToAll, GathervAndScattervWithAnyRoot) {
  for (unsigned round = 0; round < 8; ++round) {
    const Uneven blocks(round + 50, size_);
    const int root = static_cast<int>(round) % size_;
    const bool here = rank_ == root, in_place = here && round % 3 == 2;
    Bytes wanted = blocks.empty(), got = here ? blocks.empty() : Bytes();
    for (int from = 0; from < size_; ++from) blocks.put(wanted, from, from, root);
    if (in_place) blocks.put(got, rank_, rank_, root);
    Bytes sent = blocks.block(rank_, rank_, root);
    const auto mine = static_cast<int>(sent.size());
    ASSERT_EQ(MPI_Gatherv(in_place    ? MPI_IN_PLACE
                          : mine == 0 ? nullptr
                                      : sent.data(),
                          mine, MPI_BYTE, here ? got.data() : nullptr, here ? blocks.counts.data() : nullptr,
                          here ? blocks.places.data() : nullptr, here ? MPI_BYTE : MPI_DATATYPE_NULL, root,
                          MPI_COMM_WORLD),
              MPI_SUCCESS);
    reuse(sent);
    if (round % 2 && here) expect_equal(got, wanted, "gatherv");
    // The bytes that have come go back, whether or not the program has touched them.
    Bytes back(at(mine), untouched);
    ASSERT_EQ(MPI_Scatterv(here ? got.data() : nullptr, here ? blocks.counts.data() : nullptr,
                           here ? blocks.places.data() : nullptr, here ? MPI_BYTE : MPI_DATATYPE_NULL,
                           in_place ? MPI_IN_PLACE : back.data(), mine, MPI_BYTE, root, MPI_COMM_WORLD),
              MPI_SUCCESS);
    if (here) {
      expect_equal(got, wanted, "gatherv");
      reuse(got);
    }
    if (!in_place) expect_equal(back, blocks.block(rank_, rank_, root), "scatterv");
  }
}

TEST_F(OneToAll, GatherAndScatterOfEqualBlocks) {
  for (const int count : {3, 9000, 30000}) {
    for (int root = 0; root < size_; ++root) {
      std::vector<int> sent(at(count), rank_ * 1000 + root), got(at(count * size_), -1), back(at(count), -1);
      MPI_Gather(sent.data(), count, MPI_INT, got.data(), count, MPI_INT, root, MPI_COMM_WORLD);
      std::fill(sent.begin(), sent.end(), -2);
      if (rank_ == root) {
        for (int from = 0; from < size_; ++from)
          ASSERT_EQ(
              std::count(got.begin() + from * count, got.begin() + (from + 1) * count, from * 1000 + root),
              count);
      } else {
        ASSERT_EQ(std::count(got.begin(), got.end(), -1), count * size_);
      }
      for (int& value : got) value += 5;
      MPI_Scatter(got.data(), count, MPI_INT, back.data(), count, MPI_INT, root, MPI_COMM_WORLD);
      ASSERT_EQ(std::count(back.begin(), back.end(), rank_ * 1000 + root + 5), count);
    }
  }
}

TEST_F(OneToAll, NothingFromNowhere) {
  const std::vector<int> none(at(size_), 0);
  for (int root = 0; root < size_; ++root) {
    EXPECT_EQ(MPI_Bcast(nullptr, 0, MPI_INT, root, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(
        MPI_Gatherv(nullptr, 0, MPI_INT, nullptr, none.data(), none.data(), MPI_INT, root, MPI_COMM_WORLD),
        MPI_SUCCESS);
    EXPECT_EQ(
        MPI_Scatterv(nullptr, none.data(), none.data(), MPI_INT, nullptr, 0, MPI_INT, root, MPI_COMM_WORLD),
        MPI_SUCCESS);
  }
  EXPECT_EQ(MPI_Allgatherv(nullptr, 0, MPI_INT, nullptr, none.data(), none.data(), MPI_INT, MPI_COMM_WORLD),
            MPI_SUCCESS);
  // A process without anything takes part in what all have agreed on.
  std::vector<int> counts(at(size_), 0), places(at(size_), 0), sent(30000, rank_), got(30000, -1);
  const int from = size_ - 1;
  counts[at(from)] = 30000;
  const bool gives = rank_ == from;
  MPI_Allgatherv(gives ? sent.data() : nullptr, gives ? 30000 : 0, MPI_INT, got.data(), counts.data(),
                 places.data(), MPI_INT, MPI_COMM_WORLD);
  EXPECT_EQ(std::count(got.begin(), got.end(), from), 30000);
}

// Handles are the program's again when the call has returned, with transfers in flight.
TEST_F(OneToAll, HandlesAndBuffersAreFreedAtOnce) {
  for (int round = 0; round < 6; ++round) {
    const int count = 25000, root = round % size_;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Datatype type;
    MPI_Type_contiguous(4, MPI_INT, &type);
    MPI_Type_commit(&type);
    auto all = std::make_unique<int[]>(at(4 * count * size_));
    auto mine = std::make_unique<int[]>(at(4 * count));
    std::fill_n(mine.get(), 4 * count, rank_ + round);
    MPI_Gather(mine.get(), count, type, all.get(), count, type, root, comm);
    MPI_Bcast(all.get(), count * size_, type, root, comm);
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
    mine.reset();
    for (int from = size_ - 1; from >= 0; --from)
      ASSERT_EQ(std::count(all.get() + 4 * count * from, all.get() + 4 * count * (from + 1), from + round),
                4 * count);
  }
}

// Whatever the one that gives has done before it gave, the one that gets sees (rule 1).
TEST_F(OneToAll, CausesComeBeforeEffects) {
  const std::string file = std::string(P_tmpdir) + "/lapwing-one-to-all-";
  for (int round = 0; round < 4; ++round) {
    const int root = round % size_, count = 200000;
    const bool gathers = round % 2;
    int number = static_cast<int>(getpid());
    MPI_Bcast(&number, 1, MPI_INT, root, MPI_COMM_WORLD);
    const auto name_of = [&](int rank) { return file + std::to_string(number) + "-" + std::to_string(rank); };
    std::vector<char> mine(at(count), 'x'), all(at(count * size_));
    if (gathers ? rank_ != root : rank_ == root) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::ofstream(name_of(rank_)) << "here";
    }
    if (gathers)
      MPI_Gather(mine.data(), count, MPI_CHAR, all.data(), count, MPI_CHAR, root, MPI_COMM_WORLD);
    else
      MPI_Bcast(mine.data(), count, MPI_CHAR, root, MPI_COMM_WORLD);
    for (int from = 0; from < size_; ++from) {
      const bool caused = gathers ? rank_ == root && from != root : from == root;
      if (caused) {
        EXPECT_EQ(access(name_of(from).c_str(), R_OK), 0) << "round " << round;
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    unlink(name_of(rank_).c_str());
  }
}

TEST_F(OneToAll, TwoGroupsPassThrough) {
  if (size_ < 2) return;
  MPI_Comm side, both;
  MPI_Comm_split(MPI_COMM_WORLD, rank_ % 2, rank_, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - rank_ % 2, 9, &both);
  std::vector<int> data(30000, rank_);
  MPI_Bcast(data.data(), 30000, MPI_INT, rank_ % 2 ? 0 : rank_ == 0 ? MPI_ROOT : MPI_PROC_NULL, both);
  if (rank_ % 2) {
    EXPECT_EQ(std::count(data.begin(), data.end(), 0), 30000);
  }
  MPI_Comm_free(&both);
  MPI_Comm_free(&side);
}

int heard = 0, heard_class = MPI_SUCCESS;
void hear(MPI_Comm*, int* code, ...) {
  ++heard;
  MPI_Error_class(*code, &heard_class);
}

bool is_truncation(int error_class) {
  return error_class == MPI_ERR_TRUNCATE || error_class == MPI_ERR_OTHER;
}

// More arrives than there is room for: an error of MPI's where the room is, told to the handler of the call's
// communicator, and to no other process. Plainly MPICH may write beyond the room, or Open MPI hang.
TEST_F(OneToAll, TruncationIsMPIsError) {
  if (size_ < 2 || !all_deferred_) return;
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(hear, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  const int count = 60000, room = 50000;
  heard = 0;
  // Rank 1 stands in the middle of the tree; those behind it get what it got, or all.
  Bytes data(at(count), rank_ == 0 ? 7 : 0);
  MPI_Bcast(data.data(), rank_ == 1 ? room : count, MPI_BYTE, 0, comm);
  EXPECT_EQ(heard, rank_ == 1);
  if (rank_ == 1) {
    EXPECT_TRUE(is_truncation(heard_class)) << heard_class;
    EXPECT_EQ(std::count(data.begin() + room, data.end(), 0), count - room);
  } else {
    EXPECT_EQ(std::count(data.begin(), data.begin() + room, 7), room);
    const auto rest = std::count(data.begin() + room, data.end(), 7);
    EXPECT_TRUE(rest == count - room || (rank_ > 2 && rest == 0)) << rest;
  }
  heard = 0;
  Bytes all(at(count * size_), 0);
  MPI_Gather(data.data(), rank_ == 0 ? room : count, MPI_BYTE, all.data(), room, MPI_BYTE, 0, comm);
  EXPECT_EQ(heard, rank_ == 0);
  // The communicator is none the worse for it.
  std::vector<int> numbers(20000, rank_);
  MPI_Bcast(numbers.data(), 20000, MPI_INT, size_ - 1, comm);
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), size_ - 1), 20000);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Arguments that MPI refuses on all ranks, and at the root alone: in the program's call, and the next one
// works.
TEST_F(OneToAll, WrongArgumentsAreMPIsErrors) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  std::vector<int> data(20000, rank_), all(20000 * at(size_));
  EXPECT_NE(MPI_Bcast(data.data(), 20000, MPI_INT, size_, comm), MPI_SUCCESS);
  EXPECT_NE(MPI_Scatter(all.data(), -1, MPI_INT, data.data(), -1, MPI_INT, 0, comm), MPI_SUCCESS);
  EXPECT_NE(MPI_Allgather(data.data(), 20000, MPI_DATATYPE_NULL, all.data(), 20000, MPI_DATATYPE_NULL, comm),
            MPI_SUCCESS);
  // So few bytes leave without the root.
  if (const int rc = MPI_Gather(data.data(), 1, MPI_INT, all.data(), rank_ == 0 ? -1 : 1, MPI_INT, 0, comm);
      rank_ == 0) {
    EXPECT_NE(rc, MPI_SUCCESS);
  }
  MPI_Bcast(data.data(), 20000, MPI_INT, 0, comm);
  EXPECT_EQ(std::count(data.begin(), data.end(), 0), 20000);
  MPI_Comm_free(&comm);
}

// The last, since it asks what the tests above have done.
TEST_F(OneToAll, WasDeferred) {
  if (size_ < 2 || !std::getenv("LAPWING_COLLECTIVES")) return;
  EXPECT_GT(stats().deferred_receives, 10u);
  // Nothing else counts there: what came was passed on while it came.
  if (size_ > 3 && all_deferred_) {
    EXPECT_GT(stats().deferred_sends, 0u);
  }
}

}  // namespace
