// SPDX-License-Identifier: Apache-2.0
// Where messages of derived datatypes lie, against the bytes that MPI itself writes.
#include <gtest/gtest.h>
#include <mpi.h>

#include <random>
#include <set>
#include <vector>

#include "transfer/wire/type_layout.hpp"

namespace lapwing::transfer {
namespace {

constexpr std::int64_t middle = 1 << 14;

std::set<std::int64_t> bytes_of(const AffineAccess& a) {
  std::set<std::int64_t> bytes;
  for (std::uint64_t i = 0; i <= a.steps[0].back_edges; ++i)
    for (std::uint64_t j = 0; j <= a.steps[1].back_edges; ++j)
      for (std::uint64_t k = 0; k <= a.steps[2].back_edges; ++k)
        for (std::uint64_t b = 0; b < a.bytes; ++b)
          bytes.insert(static_cast<std::int64_t>(a.first + b) + a.steps[0].by * static_cast<std::int64_t>(i) +
                       a.steps[1].by * static_cast<std::int64_t>(j) +
                       a.steps[2].by * static_cast<std::int64_t>(k));
  return bytes;
}

// From `middle` on.
std::set<std::int64_t> written(int count, MPI_Datatype type) {
  int size = 0, position = 0;
  MPI_Type_size(type, &size);
  std::vector<char> memory(2 * middle), packed(static_cast<std::size_t>(count * size), 1);
  MPI_Unpack(packed.data(), count * size, &position, memory.data() + middle, count, type, MPI_COMM_SELF);
  std::set<std::int64_t> bytes;
  for (std::int64_t i = 0; i < 2 * middle; ++i)
    if (memory[static_cast<std::size_t>(i)] != 0) bytes.insert(i);
  return bytes;
}

void expect_layout(int count, MPI_Datatype type, bool exact, int number = 0) {
  const auto expected = written(count, type);
  const auto found = bytes_of(layout_of(reinterpret_cast<const void*>(middle), count, type));
  for (const std::int64_t byte : expected) ASSERT_TRUE(found.contains(byte)) << number;
  if (exact) {
    ASSERT_EQ(found, expected) << number;
  }
}

TEST(TypeLayout, ColumnsAndPartsLieInBlocks) {
  MPI_Datatype column, part, face;
  MPI_Type_vector(10, 1, 7, MPI_DOUBLE, &column);
  const int sizes[3] = {6, 5, 4}, parts[3] = {4, 1, 3}, starts[3] = {1, 2, 1};
  for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
    MPI_Type_create_subarray(3, sizes, parts, starts, order, MPI_DOUBLE, &part);
    MPI_Type_create_hvector(3, 2, 400, column, &face);
    for (MPI_Datatype* one : {&part, &face}) MPI_Type_commit(one);
    expect_layout(1, part, true);
    expect_layout(2, part, true);
    for (MPI_Datatype* one : {&part, &face}) MPI_Type_free(one);
  }
  MPI_Type_commit(&column);
  expect_layout(1, column, true);
  expect_layout(3, column, true);
  const AffineAccess a = layout_of(reinterpret_cast<const void*>(middle), 1, column);
  EXPECT_EQ(a.bytes, 8U);
  EXPECT_EQ(a.steps[0].by, 56);
  EXPECT_EQ(a.steps[0].back_edges, 9U);
  expect_layout(5, MPI_INT, true);
  EXPECT_EQ(layout_of(nullptr, 0, MPI_INT).bytes, 0U);
  MPI_Type_free(&column);
}

TEST(TypeLayout, HoldsAllThatRandomTypesHold) {
  std::mt19937 random(5);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int made = 0;
  for (int n = 0; n < 600; ++n) {
    MPI_Datatype type = draw(0, 1) ? MPI_INT : MPI_DOUBLE;
    bool known = true;  // of each as of one that is made of blocks
    int steps = 0;
    std::vector<MPI_Datatype> all;
    for (int depth = draw(1, 3); depth > 0; --depth) {
      MPI_Datatype next;
      MPI_Aint lower, extent;
      MPI_Type_get_extent(type, &lower, &extent);
      switch (draw(0, 6)) {
        case 0:
          MPI_Type_contiguous(draw(1, 4), type, &next);
          steps += 1;
          break;
        case 1:
          MPI_Type_vector(draw(1, 4), draw(1, 3), draw(-2, 5), type, &next);
          steps += 2;
          break;
        case 2:
          MPI_Type_create_hvector(draw(1, 4), draw(1, 2), 8 * draw(1, 30), type, &next);
          steps += 2;
          break;
        case 3:
          MPI_Type_create_resized(type, 0, extent + 8 * draw(0, 3), &next);
          break;
        case 4: {
          const int sizes[2] = {draw(3, 5), draw(3, 5)}, parts[2] = {draw(1, 2), draw(1, 3)},
                    starts[2] = {draw(0, 1), 0};
          MPI_Type_create_subarray(2, sizes, parts, starts, draw(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN,
                                   type, &next);
          steps += 2;
          break;
        }
        case 5: {
          const int lengths[2] = {1, draw(1, 2)}, places[2] = {0, draw(3, 5)};
          MPI_Type_indexed(2, lengths, places, type, &next);
          known = false;
          break;
        }
        default:
          MPI_Type_dup(type, &next);
      }
      all.push_back(type = next);
    }
    MPI_Aint lower, extent;
    MPI_Type_get_true_extent(type, &lower, &extent);
    if (lower > -1000 && extent < 2500) {
      ++made;
      MPI_Type_commit(&type);
      all.back() = type;
      expect_layout(draw(1, 3), type, known && steps < 3, n);
    }
    for (MPI_Datatype& one : all) MPI_Type_free(&one);
  }
  EXPECT_GT(made, 300);
}

}  // namespace
}  // namespace lapwing::transfer
