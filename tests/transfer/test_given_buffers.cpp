// SPDX-License-Identifier: Apache-2.0
// The memory that a start was ever given: every byte of it, and as little between as there is room for.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "transfer/compiled/given_buffers.hpp"

namespace lapwing::transfer {
namespace {

using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

Ranges ranges_of(const GivenBuffers& given) {
  Ranges all;
  for (const Addresses& one : given) all.emplace_back(one.begin, one.end);
  return all;
}

TEST(GivenBuffers, BuffersThatLieApartStayApart) {
  GivenBuffers given;
  given.add(5000, 100);
  given.add(1000, 100);
  given.add(3000, 50);
  given.add(3000, 50);
  given.add(1000, 20);
  EXPECT_EQ(ranges_of(given), (Ranges{{1000, 1100}, {3000, 3050}, {5000, 5100}}));
}

TEST(GivenBuffers, BuffersThatMeetBecomeOne) {
  GivenBuffers given;
  given.add(1000, 100);
  given.add(1100, 100);
  given.add(2000, 100);
  given.add(1150, 900);
  given.add(500, 0);
  EXPECT_EQ(ranges_of(given), (Ranges{{1000, 2100}}));
}

TEST(GivenBuffers, HoldsAllThatItWasGivenWhateverTheOrder) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    GivenBuffers given;
    std::set<std::int64_t> bytes;
    const unsigned buffers = 1 + random() % 40;
    for (unsigned n = 0; n < buffers; ++n) {
      const std::uintptr_t first = 10 + random() % 400;
      const std::uint64_t size = random() % 9;
      given.add(first, size);
      for (std::uint64_t k = 0; k < size; ++k) bytes.insert(static_cast<std::int64_t>(first + k));
    }
    std::int64_t last_end = -1;
    for (const Addresses& one : given) {
      ASSERT_LT(last_end, one.begin);  // in order, and none that meet
      ASSERT_LT(one.begin, one.end);
      ASSERT_TRUE(bytes.contains(one.begin) && bytes.contains(one.end - 1));
      for (std::int64_t at = one.begin; at < one.end; ++at) bytes.erase(at);
      last_end = one.end;
    }
    ASSERT_TRUE(bytes.empty());
  }
}

}  // namespace
}  // namespace lapwing::transfer
