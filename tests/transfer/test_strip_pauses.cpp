// SPDX-License-Identifier: Apache-2.0
// How long the helper leaves strips alone.
#include <gtest/gtest.h>

#include <cstdint>

#include "transfer/decisions/strip_pauses.hpp"

namespace {

using lapwing::progress::for_strips;
using lapwing::progress::longest_beside_sends;
using lapwing::progress::most_strips_per_look;
using lapwing::transfer::StripPauses;

constexpr std::uint64_t window = 1 << 20;

/// The pause that a link of `bytes` a nanosecond ends up with.
std::int64_t settled(double bytes, std::uint64_t of_window = window, bool sends = false) {
  StripPauses pauses;
  std::int64_t pause = 0;
  for (int i = 0; i < 100; ++i)
    pause = pauses.after(static_cast<std::uint64_t>(bytes * static_cast<double>(pause)), of_window, sends);
  return pause;
}

TEST(StripPauses, BeginAtTheShortestAndGrowWhileStripsMove) {
  StripPauses pauses;
  EXPECT_EQ(pauses.after(0, window, false), for_strips.shortest);
  std::int64_t last = for_strips.shortest;
  for (int i = 0; i < 10; ++i) {
    const std::int64_t next =
        pauses.after(static_cast<std::uint64_t>(0.12 * static_cast<double>(last)), window, false);
    EXPECT_TRUE(next > last || next == for_strips.longest);
    last = next;
  }
  EXPECT_EQ(last, for_strips.longest);
}

TEST(StripPauses, LeaveTheSenderMostOfItsWindowAtAnyRate) {
  for (const double bytes : {0.01, 0.12, 0.3, 0.6, 0.85}) {
    const auto pause = static_cast<double>(settled(bytes));
    EXPECT_LE(bytes * pause, most_strips_per_look) << bytes;
    EXPECT_TRUE(pause == for_strips.longest || bytes * pause >= most_strips_per_look / 3.0) << bytes;
  }
  EXPECT_EQ(settled(5), for_strips.shortest);
}

TEST(StripPauses, AreShorterWhereThisRankSends) {
  EXPECT_EQ(settled(0.12, window, true), longest_beside_sends);
  EXPECT_EQ(settled(5, window, true), for_strips.shortest);
}

TEST(StripPauses, FollowASmallWindow) { EXPECT_EQ(settled(0.12, 64 << 10), for_strips.shortest); }

TEST(StripPauses, AreTheShortestOnceAThreadHasWaitedForAPage) {
  StripPauses pauses;
  for (int i = 0; i < 10; ++i) pauses.after(0, window, false);
  pauses.restart();
  EXPECT_EQ(pauses.after(1000, window, false), for_strips.shortest);
  pauses.restart();
  EXPECT_EQ(pauses.after(window, window, false), for_strips.shortest);
}

TEST(Pauses, LooksWithinCountsWhatThePausesWouldBe) {
  for (const double duration : {1e5, 1e6, 1e7, 1e8}) {
    double looks = 0, left = duration;
    std::int64_t pause = 0;
    while (left > 0) {
      pause = for_strips.after(false, pause);
      left -= static_cast<double>(pause);
      ++looks;
    }
    EXPECT_NEAR(for_strips.looks_within(duration, 1e9), looks, 1) << duration;
  }
  EXPECT_NEAR(for_strips.looks_within(3e6, 0), 10, 0.01);
}

}  // namespace
