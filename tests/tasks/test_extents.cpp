// SPDX-License-Identifier: Apache-2.0
// Parts as numbers, against sets of bytes.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "support/case_counts.hpp"
#include "tasks/extent.hpp"

namespace lapwing::tasks {
namespace {

std::set<std::uint64_t> bytes_of(const Extent& extent) {
  std::set<std::uint64_t> bytes;
  for (std::uint64_t piece = 0; piece < extent.count; ++piece) {
    for (std::uint64_t i = 0; i < extent.width; ++i) bytes.insert(extent.first + piece * extent.stride + i);
  }
  return bytes;
}

class Random {
 public:
  Extent extent() {
    Extent made{below(30), below(6), 1 + below(6), 0};
    made.stride = made.width + below(5);
    if (below(20) == 0) made.count = 0;
    return made;
  }
  std::uint64_t below(unsigned n) { return random_() % n; }

 private:
  std::mt19937_64 random_{17};
};

TEST(Extents, OverlapWhereTheyShareAByte) {
  Random random;
  for (int i = 0; i < random_cases(200000); ++i) {
    const Extent a = random.extent(), b = random.extent();
    const auto in_a = bytes_of(a);
    bool shared = false;
    for (const auto byte : bytes_of(b)) shared = shared || in_a.count(byte) != 0;
    ASSERT_EQ(overlap(normal(a), normal(b)), shared) << text_of(a) << " and " << text_of(b);
    ASSERT_EQ(bytes_of(normal(a)), in_a) << text_of(a);
  }
}

TEST(Extents, AreCoveredWhereEveryByteIs) {
  Random random;
  int yes = 0;
  for (int i = 0; i < random_cases(200000); ++i) {
    const Extent wanted = normal(random.extent());
    std::vector<Extent> others;
    for (auto n = 1 + random.below(5); n > 0; --n) others.push_back(normal(random.extent()));
    std::vector<const Extent*> by;
    std::set<std::uint64_t> all;
    for (const Extent& each : others) {
      by.push_back(&each);
      all.merge(bytes_of(each));
    }
    bool expected = true;
    for (const auto byte : bytes_of(wanted)) expected = expected && all.count(byte) != 0;
    ASSERT_EQ(covered(wanted, by), expected) << text_of(wanted);
    yes += expected;
  }
  EXPECT_GT(yes, 1000);
}

TEST(Extents, OfManyPiecesAndDifferentStridesMayBeTakenToOverlap) {
  const Extent even{0, 1, 1000, 2}, odd{1, 1, 1000, 2}, fourth{1, 1, 500, 4};
  EXPECT_FALSE(overlap(even, odd));
  EXPECT_TRUE(overlap(even, fourth));  // though they do not
  EXPECT_FALSE(overlap(even, Extent{3001, 1, 500, 4}));
}

}  // namespace
}  // namespace lapwing::tasks
