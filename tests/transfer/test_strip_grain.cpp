// SPDX-License-Identifier: Apache-2.0
// Small strips or large ones.
#include <gtest/gtest.h>

#include "transfer/decisions/strip_grain.hpp"

namespace {

using lapwing::transfer::StripGrain;

int touched_late_until_coarse(StripGrain& grain) {
  int messages = 0;
  while (!grain.coarse()) {
    grain.touched_late();
    ++messages;
  }
  return messages;
}

TEST(StripGrain, StartsWithSmallStrips) { EXPECT_FALSE(StripGrain().coarse()); }

TEST(StripGrain, ReceiversThatComputeSomethingElseGetLargeStripsAndKeepThem) {
  StripGrain grain;
  EXPECT_EQ(touched_late_until_coarse(grain), 2);
  for (int i = 0; i < 100000; ++i) grain.touched_late();
  EXPECT_TRUE(grain.coarse());
}

TEST(StripGrain, AnEarlyTouchEndsLargeStripsAndEachTrialWaitsLonger) {
  StripGrain grain;
  int before = touched_late_until_coarse(grain);
  for (int trial = 0; trial < 4; ++trial) {
    grain.touched_early();
    EXPECT_FALSE(grain.coarse());
    const int needed = touched_late_until_coarse(grain);
    EXPECT_EQ(needed, 4 * before);
    before = needed;
  }
}

TEST(StripGrain, EarlyTouchesOfSmallStripsDoNotPutTheTrialOff) {
  StripGrain grain;
  for (int i = 0; i < 1000; ++i) {
    grain.touched_late();
    grain.touched_early();
  }
  EXPECT_EQ(touched_late_until_coarse(grain), 2);
}

TEST(StripGrain, ReceiversThatReadAlongMeetFewLargeStrips) {
  StripGrain grain;
  int coarse = 0;
  for (int message = 0; message < 10000; ++message) {
    if (grain.coarse()) {
      ++coarse;
      grain.touched_early();
    } else {
      grain.touched_late();
    }
  }
  EXPECT_LE(coarse, 6);
}

}  // namespace
