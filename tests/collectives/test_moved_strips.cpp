// SPDX-License-Identifier: Apache-2.0
// Copies of strips that the program writes to before they have left.
#include "transfer/moved_strips.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

namespace {

using lapwing::transfer::Direction;
using lapwing::transfer::MovedStrips;
using lapwing::transfer::StripPlan;

constexpr std::size_t total = 8 << 20;
const auto all_permitted = [](std::size_t) { return true; };

class Moved : public ::testing::TestWithParam<Direction> {
 protected:
  Moved() : payload_(total), plan_(total, 8 << 10, 16 << 10, GetParam()) {
    for (std::size_t i = 0; i < total; ++i) payload_[i] = static_cast<char>(i * 7 + i / 999);
  }
  std::uintptr_t address(std::size_t offset) const {
    return reinterpret_cast<std::uintptr_t>(payload_.data()) + offset;
  }
  void expect_copies(const MovedStrips& moved) const {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < plan_.count(); ++i) {
      if (!moved.copy_of(i)) continue;
      const auto strip = plan_.strip(i);
      EXPECT_EQ(std::memcmp(moved.copy_of(i), payload_.data() + strip.offset, strip.length), 0) << i;
      bytes += strip.length;
    }
    EXPECT_EQ(bytes, moved.bytes());
  }
  std::vector<char> payload_;
  StripPlan plan_;
};

TEST_P(Moved, WhatIsWantedIsFree) {
  MovedStrips moved;
  for (const std::size_t offset :
       {total / 2, total / 2 + 12345, total / 3, total - 9000, std::size_t{5000}}) {
    const auto run =
        moved.move(plan_, payload_.data(), address(offset), address(offset + 4096), 0, 0, all_permitted);
    ASSERT_LT(run.first, run.end);
    const auto a = plan_.strip(run.first), b = plan_.strip(run.end - 1);
    EXPECT_LE(std::min(a.offset, b.offset), offset);
    EXPECT_GE(std::max(a.offset + a.length, b.offset + b.length), std::min(offset + 4096, total - 4096));
    expect_copies(moved);
  }
}

TEST_P(Moved, WhatIsOnItsWayStays) {
  MovedStrips moved;
  const auto strip = plan_.strip(20);
  const auto run = moved.move(plan_, payload_.data(), address(strip.offset), address(strip.offset + 1), 10,
                              40, all_permitted);
  EXPECT_EQ(run.first, run.end);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(moved.copy_of(i), nullptr);
}

TEST_P(Moved, WhatHasLeftJoins) {
  MovedStrips moved;
  const auto strip = plan_.strip(40);
  const auto run = moved.move(plan_, payload_.data(), address(strip.offset), address(strip.offset + 1), 40,
                              40, all_permitted);
  EXPECT_EQ(run.first, 0u);
  EXPECT_GT(run.end, 41u);
}

TEST_P(Moved, NothingBeyondTheCap) {
  MovedStrips moved;
  const auto run = moved.move(plan_, payload_.data(), address(total / 2), address(total / 2 + 1), 0, 0,
                              [](std::size_t) { return false; });
  EXPECT_EQ(run.first, run.end);
  EXPECT_EQ(moved.bytes(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Both, Moved, ::testing::Values(Direction::up, Direction::down));

}  // namespace
