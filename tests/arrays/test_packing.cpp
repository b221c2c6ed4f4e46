// SPDX-License-Identifier: Apache-2.0
// Packing where the random transfers do not come: rows and blocks beyond the
// limits of tables, arrays beyond caches, conversions.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>
#include <random>

#include "arrays/schedules/local.hpp"
#include "arrays/schedules/pack.hpp"

namespace lapwing::arrays {

namespace {

Distribution over(std::vector<Dimension> dimensions, std::vector<int> grid, Order order = Order::row_major) {
  Distribution result;
  result.type = ElementType::int64;
  result.dimensions = std::move(dimensions);
  result.grid = make_grid(std::move(grid));
  result.order = order;
  return result;
}

/// All of a two-dimensional array from one simulated task to another, each
/// element holding its number in the sender's array.
void check(const Distribution& source, const Distribution& destination, const Section& to,
           std::int64_t strip) {
  const bool turned = !to.permutation.empty();
  const std::int64_t columns = source.dimensions[1].extent;
  const auto each = [](const Distribution& d, int rank, auto visit) {
    const LocalPart part = local_part(d, rank);
    if (part.elements == 0) return;
    const auto coordinate = [&](std::size_t k) {
      const int g = d.dimensions[k].grid_dimension;
      return g < 0 ? 0 : part.coordinates[static_cast<std::size_t>(g)];
    };
    for (std::int64_t i = 0; i < part.extents[0]; ++i) {
      const std::int64_t row = global_index(d.dimensions[0], d.processes(0), coordinate(0), i);
      for (std::int64_t j = 0; j < part.extents[1]; ++j) {
        visit(part.first + i * part.strides[0] + j * part.strides[1], row,
              global_index(d.dimensions[1], d.processes(1), coordinate(1), j));
      }
    }
  };
  std::vector<std::vector<std::int64_t>> sent, received, copied;
  for (const int rank : source.grid.ranks) {
    sent.emplace_back(static_cast<std::size_t>(local_part(source, rank).allocated));
    each(source, rank, [&](std::int64_t at, std::int64_t i, std::int64_t j) {
      sent.back()[static_cast<std::size_t>(at)] = i * columns + j;
    });
  }
  for (const int rank : destination.grid.ranks)
    received.emplace_back(static_cast<std::size_t>(local_part(destination, rank).allocated), -1);
  copied = received;
  std::vector<std::int64_t> wire(static_cast<std::size_t>(strip));
  for (const int p : source.grid.ranks) {
    const Schedule out = Schedule::sending(source, {}, p, destination, to);
    for (const Piece& piece : out.pieces()) {
      const auto q = static_cast<std::size_t>(piece.partner);
      const Schedule in = Schedule::receiving(destination, to, piece.partner, source, {});
      for (std::int64_t from = 0; from < piece.elements; from += strip) {
        const std::int64_t count = std::min(strip, piece.elements - from);
        pack(piece, sent[static_cast<std::size_t>(p)].data(), from, count, wire.data());
        unpack(*in.piece_of(p), received[q].data(), from, count, wire.data());
      }
      copy_between(piece, sent[static_cast<std::size_t>(p)].data(), *in.piece_of(p), copied[q].data());
    }
  }
  for (const int rank : destination.grid.ranks) {
    const auto q = static_cast<std::size_t>(rank);
    std::int64_t wrong = 0;
    each(destination, rank, [&](std::int64_t at, std::int64_t i, std::int64_t j) {
      const std::int64_t expected = turned ? j * columns + i : i * columns + j;
      wrong += received[q][static_cast<std::size_t>(at)] != expected ? 1 : 0;
      wrong += copied[q][static_cast<std::size_t>(at)] != expected ? 1 : 0;
    });
    EXPECT_EQ(wrong, 0) << "of rank " << rank << ", strips of " << strip;
  }
}

Section turned() {
  Section result;
  result.permutation = {1, 0};
  return result;
}

}  // namespace

TEST(Packing, RowsLongerThanTables) {
  const auto a = over({collapsed(6), cyclic(70001, 3, 0)}, {2});
  const auto b = over({collapsed(6), cyclic(70001, 5, 0)}, {3});
  for (const std::int64_t strip : {700001, 30000, 4099}) check(a, b, {}, strip);
  const auto c = over({collapsed(6), cyclic(70001, 1, 0)}, {2});
  check(a, c, {}, 30000);
  check(c, over({cyclic(6, 1, 0), collapsed(70001)}, {2}), {}, 30000);
}

TEST(Packing, MoreRowsThanABlockHas) {
  const auto a = over({cyclic(3001, 2, 0), collapsed(9)}, {2});
  const auto b = over({cyclic(3001, 7, 0), cyclic(9, 1, 1)}, {2, 2});
  for (const std::int64_t strip : {27009, 1000, 17}) check(a, b, {}, strip);
}

TEST(Packing, TranspositionsOfAllShapes) {
  for (const auto& [rows, columns] :
       {std::pair<int, int>{1000, 7}, {7, 1000}, {600, 601}, {257, 33}, {2, 2000}}) {
    const auto a = over({block(rows, 2, 0), collapsed(columns)}, {2});
    const auto whole = over({collapsed(columns), collapsed(rows)}, {});
    const auto blocks = over({cyclic(columns, 5, 0), cyclic(rows, 3, 1)}, {2, 2});
    const auto other_order = over({collapsed(rows), block(columns, 3, 0)}, {3}, Order::column_major);
    for (const std::int64_t strip : {8192, 1000, 331}) {
      check(a, whole, turned(), strip);
      check(a, blocks, turned(), strip);
      check(a, other_order, {}, strip);
    }
  }
}

// More than 8 MiB at each receiver: written past the caches, at any alignment.
TEST(Packing, LargeArrays) {
  const auto a = over({block(1500, 2, 0), collapsed(1501)}, {2});
  check(a, over({collapsed(1500), collapsed(1501)}, {}), {}, 32768);
  check(a, over({collapsed(1501), collapsed(1500)}, {}), turned(), 32768);
  auto padded = over({collapsed(1501), collapsed(1500)}, {});
  padded.leading = {0, 1507};
  padded.dimensions[1].ghost_below = 1;
  check(a, padded, turned(), 20000);
  check(over({cyclic(1500, 36, 0), cyclic(1501, 36, 1)}, {2, 2}), padded, turned(), 20000);
}

TEST(Packing, ContiguousPiecesAreKnown) {
  const auto a = over({block(40, 2, 0), collapsed(10)}, {2});
  const auto b = over({collapsed(40), collapsed(10)}, {});
  const Schedule in = Schedule::receiving(b, {}, 0, a, {});
  std::int64_t offset = -1;
  EXPECT_TRUE(contiguous(*in.piece_of(1), offset));
  EXPECT_EQ(offset, 200);
  const auto c = over({collapsed(40), block(10, 2, 0)}, {2});
  const Schedule columns = Schedule::receiving(b, {}, 0, c, {});
  EXPECT_FALSE(contiguous(*columns.piece_of(1), offset));
}

TEST(Conversion, IsThatOfCAndBounded) {
  const double values[] = {3.9, -3.9, 1e30, -1e30, std::numeric_limits<double>::quiet_NaN(), 200.5};
  std::int8_t bytes[6];
  convert(ElementType::float64, values, ElementType::int8, bytes, 6);
  EXPECT_EQ(std::vector<int>(bytes, bytes + 6), (std::vector<int>{3, -3, 127, -128, 0, 127}));
  std::uint64_t large[6];
  convert(ElementType::float64, values, ElementType::uint64, large, 6);
  EXPECT_EQ(large[1], 0U);
  EXPECT_EQ(large[2], std::numeric_limits<std::uint64_t>::max());
  const std::complex<float> complex[] = {{1.5F, 2.5F}};
  std::complex<double> wide[1];
  std::int32_t whole[1];
  convert(ElementType::complex64, complex, ElementType::complex128, wide, 1);
  convert(ElementType::complex64, complex, ElementType::int32, whole, 1);
  EXPECT_EQ(wide[0], std::complex<double>(1.5, 2.5));
  EXPECT_EQ(whole[0], 1);
  EXPECT_TRUE(convertible(ElementType::int8, ElementType::complex64));
  EXPECT_FALSE(convertible(ElementType::opaque, ElementType::int8));
}

}  // namespace lapwing::arrays
