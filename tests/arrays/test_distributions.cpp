// SPDX-License-Identifier: Apache-2.0
// Distributions: what is refused and in which words, the index maps, the bytes
// of descriptors, ScaLAPACK's.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "arrays/random_case.hpp"
#include "arrays/schedules/local.hpp"
#include "arrays/schedules/scalapack.hpp"
#include "arrays/schedules/section.hpp"

namespace lapwing::arrays {

namespace {

Distribution matrix() {
  Distribution result;
  result.dimensions = {block(100, 4, 0), cyclic(60, 8, 1)};
  result.grid = make_grid({4, 2});
  return result;
}

void expect_problem(const Distribution& distribution, int task_size, const char* sentence) {
  EXPECT_EQ(validate(distribution, task_size), sentence);
  // The reader of a descriptor that arrived must refuse it as well.
  EXPECT_FALSE(task_size < 0 && decode(encode(distribution)).distribution.has_value());
}

}  // namespace

TEST(Distributions, GoodOnesAreAccepted) {
  EXPECT_EQ(validate(matrix(), 8), "");
  EXPECT_EQ(validate(matrix(), -1), "");
  Distribution scalar;
  scalar.grid = make_grid({});
  EXPECT_EQ(validate(scalar, 1), "");
  Distribution large;
  large.dimensions = {block(std::int64_t{1} << 55, 3, 0)};
  large.grid = make_grid({3});
  EXPECT_EQ(validate(large, 3), "");
  EXPECT_EQ(local_part(large, 2).elements, (std::int64_t{1} << 55) - 2 * (((std::int64_t{1} << 55) + 2) / 3));
}

TEST(Distributions, BadOnesAreRefusedWithBothValues) {
  Distribution d = matrix();
  expect_problem(d, 7, "a grid of 4 x 2 has 8 processes in its dimensions 0 to 1, but the task has 7");
  expect_problem(d, 3, "grid dimension 0 has 4 processes, but the task has ranks 0 to 2, which are 3");
  d.grid.ranks[7] = 9;
  expect_problem(d, 8, "the grid has rank 9 at position 7, but the task has 8 ranks");
  d.grid.ranks[3] = 1;
  expect_problem(d, -1, "the grid has rank 1 at position 1 and again at 3");
  d = matrix();
  d.grid.ranks.pop_back();
  expect_problem(d, -1, "a grid of 4 x 2 has 8 positions, but 7 ranks are given");
  d = matrix();
  d.grid.extents[1] = 0;
  expect_problem(d, -1, "grid dimension 1 has 0 processes; it needs at least 1");
  d = matrix();
  d.dimensions[1].grid_dimension = 0;
  expect_problem(d, -1, "dimensions 0 and 1 both lie on grid dimension 0");
  d.dimensions[1].grid_dimension = 2;
  expect_problem(d, -1, "dimension 1 lies on grid dimension 2, but the grid has 2");
  d = matrix();
  d.dimensions[1].block = 0;
  expect_problem(d, -1, "dimension 1 has blocks of 0 elements; a block needs at least 1");
  d = matrix();
  d.dimensions[0].first_process = 4;
  expect_problem(d, -1, "the first block of dimension 0 is on process 4, but grid dimension 0 has 4");
  d = matrix();
  d.dimensions[0] = irregular({0, 10, 5, 50, 100}, 0);
  expect_problem(d, -1, "boundary 1 of dimension 0 is 10, which is above the next one, 5");
  d.dimensions[0] = irregular({0, 10, 100}, 0);
  expect_problem(d, -1, "dimension 0 lies on 4 processes and needs 5 boundaries, but 3 are given");
  d = matrix();
  d.dimensions[0].extent = -1;
  expect_problem(d, -1, "dimension 0 has an extent of -1");
  d = matrix();
  d.dimensions = {collapsed(std::int64_t{1} << 40), collapsed(std::int64_t{1} << 40)};
  expect_problem(d, -1, "with dimension 1 of extent 1099511627776 the array is too large");
  d = matrix();
  d.leading = {24, 40};
  EXPECT_EQ(validate_leading(d, 0), "leading dimension 0 of rank 0 is 24, but its part with ghosts needs 25");
}

TEST(Distributions, GlobalAndLocalIndicesAreInverse) {
  std::mt19937_64 random(7);
  for (int k = 0; k < 3000; ++k) {
    const testing::Case c = testing::random_case(random);
    for (std::size_t d = 0; d < c.source.dimensions.size(); ++d) {
      const Dimension& dimension = c.source.dimensions[d];
      const int processes = c.source.processes(d);
      std::vector<std::int64_t> count(static_cast<std::size_t>(processes), 0);
      for (std::int64_t i = 0; i < dimension.extent; ++i) {
        const Place there = place(dimension, processes, i);
        ASSERT_EQ(there.local, count[static_cast<std::size_t>(there.coordinate)]++);
        ASSERT_EQ(global_index(dimension, processes, there.coordinate, there.local), i);
      }
      for (int p = 0; p < processes; ++p)
        ASSERT_EQ(owned(dimension, processes, p), dimension.layout == Layout::collapsed
                                                      ? dimension.extent
                                                      : count[static_cast<std::size_t>(p)]);
    }
  }
}

TEST(Distributions, MoreRanksThanElements) {
  Distribution d;
  d.dimensions = {cyclic(3, 1, 0)};
  d.grid = make_grid({8});
  EXPECT_EQ(local_part(d, 2).elements, 1);
  EXPECT_EQ(local_part(d, 3).elements, 0);
  EXPECT_EQ(local_part(d, 3).allocated, 0);
  EXPECT_FALSE(local_part(d, 8).in_grid);
}

TEST(Descriptors, ComeBackAsTheyWere) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 500; ++k) {
    const testing::Case c = testing::random_case(random);
    const Decoded decoded = decode(encode(c.destination));
    ASSERT_TRUE(decoded.distribution) << decoded.problem;
    ASSERT_TRUE(decoded.distribution->same_as(c.destination));
    ASSERT_EQ(decode_section(encode(c.to)).section, c.to);
  }
}

TEST(Descriptors, NonsenseIsRefused) {
  std::mt19937_64 random(5);
  const std::vector<std::byte> good = encode(matrix());
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(decode(std::span(good).first(length)).distribution);
    EXPECT_NE(decode(std::span(good).first(length)).problem, "");
  }
  std::vector<std::byte> longer = good;
  longer.resize(good.size() + 8);
  EXPECT_FALSE(decode(longer).distribution);
  // Any word replaced: refused, or else a distribution that is valid.
  for (std::size_t at = 0; at + 8 <= good.size(); at += 8) {
    for (int k = 0; k < 40; ++k) {
      std::vector<std::byte> bad = good;
      const auto value = static_cast<std::int64_t>(random() >> (random() % 64));
      const std::int64_t signed_value = k % 2 == 0 ? value : -value;
      std::memcpy(bad.data() + at, &signed_value, 8);
      const Decoded decoded = decode(bad);
      if (decoded.distribution) {
        EXPECT_EQ(validate(*decoded.distribution, -1), "");
      } else {
        EXPECT_NE(decoded.problem, "");
      }
      EXPECT_TRUE(decode_section(bad).section.has_value() == false);
    }
  }
}

TEST(Sections, MismatchesNameDimensionAndBothValues) {
  Distribution a = matrix(), b = matrix();
  Section whole, half;
  half.dimensions = {{0, 50, 2}, {0, 60, 1}};
  EXPECT_EQ(mismatch(a, whole, b, whole), "");
  EXPECT_EQ(mismatch(a, half, b, whole),
            "the sender has 50 elements in dimension 0, the receiver 100 in dimension 0");
  Section transposed;
  transposed.permutation = {1, 0};
  EXPECT_EQ(mismatch(a, whole, b, transposed),
            "the sender has 60 elements in dimension 1, the receiver 100 in dimension 0");
  transposed.permutation = {0, 0};
  EXPECT_EQ(mismatch(a, whole, b, transposed),
            "the receiver's dimensions 0 and 1 both take the sender's dimension 0");
  half.dimensions[0].count = 51;
  EXPECT_EQ(validate(half, a),
            "the section takes 51 elements from 0 with stride 2 in dimension 0, whose extent is 100");
  b.type = ElementType::opaque;
  b.opaque_bytes = 8;
  EXPECT_EQ(mismatch(a, whole, b, whole), "elements of type float64 cannot be received as opaque");
}

TEST(Scalapack, DescriptorsAreImported) {
  const ProcessGrid grid = make_grid({2, 3});
  const Imported good = import_scalapack({1, 0, 100, 70, 8, 5, 1, 2, 60}, ElementType::float64, grid);
  ASSERT_TRUE(good.distribution) << good.problem;
  // ScaLAPACK's own indxg2p and numroc, as its manual defines them.
  for (std::int64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(place(good.distribution->dimensions[0], 2, i).coordinate, (i / 8 + 1) % 2);
    EXPECT_EQ(place(good.distribution->dimensions[0], 2, i).local, i / 16 * 8 + i % 8);
  }
  EXPECT_EQ(local_part(*good.distribution, 0).strides, (std::vector<std::int64_t>{1, 60}));
  EXPECT_EQ(import_scalapack({501, 0, 1, 1, 1, 1, 0, 0, 1}, ElementType::float64, grid).problem,
            "the ScaLAPACK descriptor has DTYPE 501; only dense matrices, DTYPE 1, can be imported");
  EXPECT_EQ(import_scalapack({1, 0, 1, 1, 1, 1, 2, 0, 1}, ElementType::float64, grid).problem,
            "RSRC of the ScaLAPACK descriptor is 2, but grid dimension 0 has 2 processes");
}

}  // namespace lapwing::arrays
