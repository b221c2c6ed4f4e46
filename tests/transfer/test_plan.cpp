// SPDX-License-Identifier: Apache-2.0
// Strips cover the middle exactly once, in the order of their direction.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "transfer/wire/pages.hpp"
#include "transfer/wire/plan.hpp"

namespace lapwing::transfer {
namespace {

void covers_the_middle_once(std::size_t total, std::size_t first, std::size_t largest, Direction direction) {
  SCOPED_TRACE(testing::Message() << total << " bytes, strips " << first << " to " << largest);
  const StripPlan plan(total, first, largest, direction);
  ASSERT_GT(plan.count(), 0u);
  std::size_t at = direction == Direction::up ? edge_bytes : total - edge_bytes;
  for (std::size_t i = 0; i < plan.count(); ++i) {
    const Strip strip = plan.strip(i);
    ASSERT_GT(strip.length, 0u);
    ASSERT_LE(strip.length, std::max(first, largest));
    if (direction == Direction::up) {
      ASSERT_EQ(strip.offset, at);
      at += strip.length;
    } else {
      ASSERT_EQ(strip.offset + strip.length, at);
      at = strip.offset;
    }
  }
  EXPECT_EQ(at, direction == Direction::up ? total - edge_bytes : edge_bytes);
}

TEST(StripPlan, CoversTheMiddleOnce) {
  std::mt19937 random(7);
  for (int i = 0; i < 4000; ++i) {
    const std::size_t total = header_bytes + random() % (i % 3 ? 300'000 : 9'000'000);
    const std::size_t first = 1 + random() % 70'000, largest = first + (i % 2 ? random() % 300'000 : 0);
    covers_the_middle_once(total, first, largest, Direction::up);
    covers_the_middle_once(total, first, largest, Direction::down);
  }
}

TEST(StripPlan, GrowsByDoubling) {
  const StripPlan plan(1 << 20, 8192, 65536, Direction::up);
  EXPECT_EQ(plan.strip(0).length, 8192u);
  EXPECT_EQ(plan.strip(1).length, 16384u);
  EXPECT_EQ(plan.strip(2).length, 32768u);
  EXPECT_EQ(plan.strip(3).length, 65536u);
  EXPECT_EQ(plan.strip(4).length, 65536u);
}

TEST(StripPlan, WholeIsOneStrip) {
  const std::size_t total = 100'000, middle = total - 2 * edge_bytes;
  const StripPlan plan(total, middle, middle, Direction::up);
  EXPECT_EQ(plan.count(), 1u);
}

// Whatever the alignment, pages with a byte of the middle lie inside the buffer.
TEST(MiddlePages, LieInsideTheBuffer) {
  for (std::uintptr_t start = 0x100000; start < 0x100000 + 2 * page_bytes; start += 37) {
    for (std::size_t total = header_bytes; total < header_bytes + 3 * page_bytes; total += 101) {
      char* payload = reinterpret_cast<char*>(start);
      const PageRange pages = middle_pages(payload, total);
      ASSERT_GE(pages.begin, payload);
      ASSERT_LE(pages.end, payload + total);
      ASSERT_LE(pages.begin, payload + edge_bytes);
      ASSERT_GE(pages.end, payload + total - edge_bytes);
    }
  }
}

}  // namespace
}  // namespace lapwing::transfer
