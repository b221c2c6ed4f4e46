// SPDX-License-Identifier: Apache-2.0
// MPI_Alltoall and MPI_Alltoallv of a program that knows nothing of Lapwing: every byte, and
// every byte between the blocks, is what MPI promises, whatever the program does next.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "collectives/exchange.hpp"

namespace {

using lapwing::test::byte_of;
using lapwing::test::Bytes;
using lapwing::test::Exchange;
using lapwing::test::stats;
using lapwing::test::untouched;

constexpr std::size_t largest = 70000;

class Alltoall : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  void fill(const Exchange& e, const Exchange::Side& out, Bytes& sent, int width, int rank) const {
    sent.assign(out.elements * static_cast<std::size_t>(width) + 1, untouched);
    for (int to = 0; to < e.size; ++to) {
      const auto at = static_cast<std::size_t>(out.places[static_cast<std::size_t>(to)]) *
                      static_cast<std::size_t>(width);
      const auto bytes = static_cast<std::size_t>(out.counts[static_cast<std::size_t>(to)]) *
                         static_cast<std::size_t>(width);
      for (std::size_t i = 0; i < bytes; ++i) sent[at + i] = byte_of(e.round, rank, to, i);
    }
  }

  // The contents that the receive buffer must have.
  static Bytes wanted(const Exchange& e, const Exchange::Side& in, int width, int rank) {
    Bytes all(in.elements * static_cast<std::size_t>(width) + 1, untouched);
    for (int from = 0; from < e.size; ++from) {
      const auto at = static_cast<std::size_t>(in.places[static_cast<std::size_t>(from)]) *
                      static_cast<std::size_t>(width);
      const auto bytes = static_cast<std::size_t>(in.counts[static_cast<std::size_t>(from)]) *
                         static_cast<std::size_t>(width);
      for (std::size_t i = 0; i < bytes; ++i) all[at + i] = byte_of(e.round, from, rank, i);
    }
    return all;
  }

  int rank_ = 0, size_ = 1;
};

void expect_equal(const Bytes& got, const Bytes& wanted, unsigned round) {
  ASSERT_EQ(got.size(), wanted.size());
  const auto differ = std::mismatch(got.begin(), got.end(), wanted.begin());
  EXPECT_TRUE(differ.first == got.end())
      << "round " << round << ", byte " << differ.first - got.begin() << " of " << got.size();
}

TEST_F(Alltoall, OfAnySizesAndGaps) {
  for (unsigned round = 0; round < 12; ++round) {
    const int width = round % 3 == 0 ? 1 : round % 3 == 1 ? 4 : 8;
    const MPI_Datatype type = width == 1 ? MPI_BYTE : width == 4 ? MPI_INT : MPI_DOUBLE;
    const Exchange e(round, size_, largest, width);
    const auto out = e.side(rank_, true, round % 2), in = e.side(rank_, false, round % 4 > 1);
    Bytes sent, got(in.elements * static_cast<std::size_t>(width) + 1, untouched);
    fill(e, out, sent, width, rank_);
    ASSERT_EQ(MPI_Alltoallv(sent.data(), out.counts.data(), out.places.data(), type, got.data(),
                            in.counts.data(), in.places.data(), type, MPI_COMM_WORLD),
              MPI_SUCCESS);
    // The send buffer is the program's again: from its end, so that strips are overtaken.
    if (round % 2) std::fill(sent.rbegin(), sent.rend(), 0);
    expect_equal(got, wanted(e, in, width, rank_), round);
  }
}

TEST_F(Alltoall, OfEqualBlocksUsedInAnyOrder) {
  for (const int count : {1, 1000, 8192, 8288, 20000, 65537}) {
    const auto bytes = static_cast<std::size_t>(count);
    Bytes sent(bytes * static_cast<std::size_t>(size_)), got(sent.size());
    for (int to = 0; to < size_; ++to)
      for (std::size_t i = 0; i < bytes; ++i)
        sent[static_cast<std::size_t>(to) * bytes + i] = byte_of(5, rank_, to, i);
    ASSERT_EQ(MPI_Alltoall(sent.data(), count, MPI_BYTE, got.data(), count, MPI_BYTE, MPI_COMM_WORLD),
              MPI_SUCCESS);
    std::fill(sent.begin(), sent.end(), 0);
    for (int from = size_ - 1; from >= 0; --from) {
      std::size_t wrong = 0;
      for (std::size_t i = bytes; i-- > 0;)
        wrong += got[static_cast<std::size_t>(from) * bytes + i] != byte_of(5, from, rank_, i);
      EXPECT_EQ(wrong, 0u) << count << " bytes from " << from;
    }
  }
}

TEST_F(Alltoall, WhatHasComeIsSentOnAtOnce) {
  const int count = 9000;
  std::vector<int> one(static_cast<std::size_t>(count * size_)), two(one.size());
  for (int to = 0; to < size_; ++to)
    for (int i = 0; i < count; ++i)
      one[static_cast<std::size_t>(to * count + i)] = rank_ * 1000 + to * 10 + i;
  const auto sent = one;
  for (int round = 0; round < 6; ++round) {
    MPI_Alltoall(one.data(), count, MPI_INT, two.data(), count, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(two.data(), count, MPI_INT, one.data(), count, MPI_INT, MPI_COMM_WORLD);
  }
  EXPECT_TRUE(one == sent);  // a transposition twice is none
}

TEST_F(Alltoall, WhatHasComeIsReducedAtOnce) {
  const int count = 9000;
  for (int round = 0; round < 4; ++round) {
    std::vector<int> sent(static_cast<std::size_t>(count * size_), rank_ + round), got(sent.size()),
        sums(sent.size());
    std::vector<int> counts(static_cast<std::size_t>(size_), count), places(counts.size());
    for (int i = 0; i < size_; ++i) places[static_cast<std::size_t>(i)] = (size_ - 1 - i) * count;
    MPI_Alltoallv(sent.data(), counts.data(), places.data(), MPI_INT, got.data(), counts.data(),
                  places.data(), MPI_INT, MPI_COMM_WORLD);
    MPI_Allreduce(got.data(), sums.data(), count * size_, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < size_; ++i)
      for (int j = 0; j < count; ++j)
        ASSERT_EQ(sums[static_cast<std::size_t>(places[static_cast<std::size_t>(i)] + j)],
                  (i + round) * size_);
  }
}

TEST_F(Alltoall, BuffersAreFreedAtOnce) {
  for (int round = 0; round < 8; ++round) {
    const std::size_t bytes = 100000;
    const auto all = bytes * static_cast<std::size_t>(size_);
    auto sent = std::make_unique<char[]>(all);
    std::memset(sent.get(), rank_ + round, all);
    char* got = static_cast<char*>(std::malloc(all));
    MPI_Alltoall(sent.get(), static_cast<int>(bytes), MPI_BYTE, got, static_cast<int>(bytes), MPI_BYTE,
                 MPI_COMM_WORLD);
    sent.reset();
    if (round % 2) {
      std::free(got);
      continue;
    }
    got = static_cast<char*>(std::realloc(got, 2 * all));
    for (int from = 0; from < size_; ++from)
      EXPECT_EQ(got[static_cast<std::size_t>(from) * bytes + bytes / 2], static_cast<char>(from + round));
    std::free(got);
  }
}

// Types that are not one run of bytes, on one side or on both, and of which ranks differ.
TEST_F(Alltoall, OfOtherTypes) {
  const int count = 6000;
  MPI_Datatype spread;
  MPI_Type_vector(count, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  MPI_Datatype block;
  MPI_Type_create_resized(spread, 0, 2 * count * static_cast<MPI_Aint>(sizeof(int)), &block);
  MPI_Type_commit(&block);
  for (int round = 0; round < 4; ++round) {
    const bool spread_out = (round + rank_) % 2, spread_in = round / 2 % 2;
    const auto all = static_cast<std::size_t>(2 * count * size_);
    std::vector<int> sent(all, -1), got(all, -1);
    for (int to = 0; to < size_; ++to)
      for (int i = 0; i < count; ++i)
        sent[static_cast<std::size_t>(spread_out ? 2 * (to * count + i) : to * count + i)] =
            (rank_ + round) * 100000 + to * 10000 + i;
    MPI_Alltoall(sent.data(), spread_out ? 1 : count, spread_out ? block : MPI_INT, got.data(),
                 spread_in ? 1 : count, spread_in ? block : MPI_INT, MPI_COMM_WORLD);
    for (int from = 0; from < size_; ++from)
      for (int i = 0; i < count; ++i)
        ASSERT_EQ(got[static_cast<std::size_t>(spread_in ? 2 * (from * count + i) : from * count + i)],
                  (from + round) * 100000 + rank_ * 10000 + i);
  }
  MPI_Type_free(&block);
  MPI_Type_free(&spread);
}

TEST_F(Alltoall, InPlace) {
  const int count = 9000;
  std::vector<int> data(static_cast<std::size_t>(count * size_));
  for (int round = 0; round < 3; ++round) {
    for (int to = 0; to < size_; ++to)
      std::fill_n(data.begin() + to * count, count, 100 * rank_ + to + round);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data.data(), count, MPI_INT, MPI_COMM_WORLD);
    for (int from = 0; from < size_; ++from)
      EXPECT_EQ(std::count(data.begin() + from * count, data.begin() + (from + 1) * count,
                           100 * from + rank_ + round),
                count);
  }
}

TEST_F(Alltoall, OnCommunicatorsThatComeAndGo) {
  for (int round = 0; round < 6; ++round) {
    MPI_Comm comm;
    if (round % 2)
      MPI_Comm_split(MPI_COMM_WORLD, rank_ % 2, -rank_, &comm);
    else
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const Exchange e(static_cast<unsigned>(round + 100), size, largest, 1);
    const auto out = e.side(rank, true, false), in = e.side(rank, false, false);
    Bytes sent, got(in.elements + 1, untouched);
    fill(e, out, sent, 1, rank);
    MPI_Alltoallv(sent.data(), out.counts.data(), out.places.data(), MPI_BYTE, got.data(), in.counts.data(),
                  in.places.data(), MPI_BYTE, comm);
    MPI_Comm_free(&comm);
    expect_equal(got, wanted(e, in, 1, rank), e.round);
  }
}

TEST_F(Alltoall, TwoGroupsPassThrough) {
  if (size_ < 2) return;
  MPI_Comm side, both;
  MPI_Comm_split(MPI_COMM_WORLD, rank_ % 2, rank_, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - rank_ % 2, 9, &both);
  int others = 0;
  MPI_Comm_remote_size(both, &others);
  const int count = 9000;
  std::vector<int> sent(static_cast<std::size_t>(count * others), rank_), got(sent.size(), -1);
  MPI_Alltoall(sent.data(), count, MPI_INT, got.data(), count, MPI_INT, both);
  for (int i = 0; i < others; ++i)
    EXPECT_EQ(std::count(got.begin() + i * count, got.begin() + (i + 1) * count, 2 * i + 1 - rank_ % 2),
              count);
  MPI_Comm_free(&both);
  MPI_Comm_free(&side);
}

// The members of a communicator decide alike although their sizes differ by a factor of a thousand.
TEST_F(Alltoall, WhereOneRankHasNearlyNothing) {
  for (int round = 0; round < 5; ++round) {
    std::vector<int> out_counts(static_cast<std::size_t>(size_)), in_counts(out_counts.size()),
        out_places(out_counts.size()), in_places(out_counts.size());
    int out = 0, in = 0;
    for (int i = 0; i < size_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      out_counts[at] = rank_ == 0 ? 3 : 30000;
      in_counts[at] = i == 0 ? 3 : 30000;
      out_places[at] = out;
      in_places[at] = in;
      out += out_counts[at];
      in += in_counts[at];
    }
    std::vector<int> sent(static_cast<std::size_t>(out), rank_ + round),
        got(static_cast<std::size_t>(in), -1);
    MPI_Alltoallv(sent.data(), out_counts.data(), out_places.data(), MPI_INT, got.data(), in_counts.data(),
                  in_places.data(), MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto begin = got.begin() + in_places[at];
      ASSERT_EQ(std::count(begin, begin + in_counts[at], i + round), in_counts[at]);
    }
  }
}

// One rank gives one address for both sides: its blocks lie beside each other, or are empty. It must go with
// the others.
TEST_F(Alltoall, WhereOneRankHasOneBuffer) {
  for (const int count : {0, 30000}) {
    const int all = count * size_;
    std::vector<int> counts(static_cast<std::size_t>(size_), count), rooms(counts), places(counts.size()),
        shifted(counts.size());
    for (int i = 0; i < size_; ++i) {
      places[static_cast<std::size_t>(i)] = i * count;
      shifted[static_cast<std::size_t>(i)] = all + i * count;
    }
    std::vector<int> both(static_cast<std::size_t>(2 * all + 1), -1),
        got(static_cast<std::size_t>(all + 1), -1);
    std::fill_n(both.begin(), all, rank_);
    const bool one = rank_ == 0;
    MPI_Alltoallv(both.data(), counts.data(), places.data(), MPI_INT, one ? both.data() : got.data(),
                  rooms.data(), one ? shifted.data() : places.data(), MPI_INT, MPI_COMM_WORLD);
    const auto begin = one ? both.begin() + all : got.begin();
    for (int i = 0; i < size_; ++i)
      ASSERT_EQ(std::count(begin + i * count, begin + (i + 1) * count, i), count);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// More arrives than there is room for: MPI's own error, on those ranks that MPI tells. A plain call may
// write beyond the room (MPICH), or hang (Open MPI), so this is for calls that are all deferred.
TEST_F(Alltoall, TruncationIsMPIsError) {
  const char* mode = std::getenv("LAPWING_COLLECTIVES");
  if (size_ < 2 || !mode || std::strcmp(mode, "on") != 0) return;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int count = 60000, room = rank_ == 0 ? 50000 : count;
  std::vector<char> sent(static_cast<std::size_t>(count * size_), 1),
      got(static_cast<std::size_t>(count * size_), 0);
  std::vector<int> counts(static_cast<std::size_t>(size_), count), rooms(counts.size(), room),
      places(counts.size());
  for (int i = 0; i < size_; ++i) places[static_cast<std::size_t>(i)] = i * count;
  rooms[static_cast<std::size_t>(rank_)] = count;  // to itself all fits
  const int rc = MPI_Alltoallv(sent.data(), counts.data(), places.data(), MPI_BYTE, got.data(), rooms.data(),
                               places.data(), MPI_BYTE, comm);
  int error_class = MPI_SUCCESS;
  MPI_Error_class(rc, &error_class);
  if (rank_ == 0) {
    EXPECT_TRUE(error_class == MPI_ERR_TRUNCATE || error_class == MPI_ERR_OTHER) << error_class;
    for (int from = 1; from < size_; ++from)
      for (int i = room; i < count; ++i) ASSERT_EQ(got[static_cast<std::size_t>(from * count + i)], 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// The last, since it asks what the others have done.
TEST_F(Alltoall, WasDeferred) {
  if (size_ < 2 || !std::getenv("LAPWING_COLLECTIVES")) return;
  EXPECT_GT(stats().deferred_receives, 10u);
}

}  // namespace
