// SPDX-License-Identifier: Apache-2.0
// A call site keeps what makes its period shorter, and nothing else.
#include <gtest/gtest.h>

#include "transfer/sites.hpp"

namespace lapwing::transfer {
namespace {

// Runs `calls` calls of which each lasts as its way says; counts the stripped ones.
int stripped(Learning& learning, int calls, std::uint64_t plain_ns, std::uint64_t stripped_ns,
             std::uint64_t* now) {
  int count = 0;
  for (int i = 0; i < calls; ++i) {
    const bool strip = learning.next(*now, 1 << 20, true) == Learning::Way::stripped;
    count += strip;
    *now += strip ? stripped_ns : plain_ns;
  }
  return count;
}

TEST(Learning, KeepsWhatPays) {
  Learning learning;
  std::uint64_t now = 1;
  stripped(learning, 50, 1000, 600, &now);
  EXPECT_STREQ(learning.verdict(), "hides");
  EXPECT_EQ(stripped(learning, 100, 1000, 600, &now), 100);
}

TEST(Learning, StandsAsideWhereItDoesNotPay) {
  Learning learning;
  std::uint64_t now = 1;
  stripped(learning, 50, 1000, 1000, &now);
  EXPECT_STREQ(learning.verdict(), "stands aside");
  EXPECT_EQ(stripped(learning, 100, 1000, 1000, &now), 0);
}

TEST(Learning, LooksAgainAfterAWhile) {
  Learning learning;
  std::uint64_t now = 1;
  stripped(learning, 200, 1000, 1200, &now);
  EXPECT_GT(stripped(learning, 1000, 1000, 500, &now), 400);
}

}  // namespace
}  // namespace lapwing::transfer
