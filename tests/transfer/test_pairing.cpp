// SPDX-License-Identifier: Apache-2.0
// How long the helper leaves receives alone which a send has followed so far.
#include <gtest/gtest.h>

#include "transfer/decisions/pairing.hpp"

namespace {

using lapwing::transfer::Pairing;

constexpr std::uint64_t ms = 1'000'000;

// Exchanges of a program that packs for `gap` between its receives and its sends.
std::uint64_t exchanges(Pairing& pairing, int count, std::uint64_t gap, std::uint64_t now = 10 * ms) {
  for (int i = 0; i < count; ++i, now += 20 * ms) {
    pairing.received(now, true);
    pairing.received(now + 1, false);
    pairing.sent(now + gap);
    pairing.sent(now + gap + 1);
    EXPECT_EQ(pairing.hold_until(), 0u) << "nothing is held once the program has sent";
    pairing.waited();
    pairing.waited();
  }
  return now;
}

TEST(Pairing, NothingIsHeldUntilExchangesHaveBeenSeen) {
  Pairing pairing;
  pairing.received(ms, true);
  EXPECT_EQ(pairing.hold_until(), 0u);
  pairing.sent(2 * ms);
  pairing.waited();
  pairing.received(30 * ms, true);
  EXPECT_EQ(pairing.hold_until(), 0u);
}

TEST(Pairing, ReceivesAreHeldALittleLongerThanTheSendUsedToTake) {
  Pairing pairing;
  const std::uint64_t now = exchanges(pairing, 5, ms / 2);
  pairing.received(now, true);
  EXPECT_GE(pairing.hold_until(), now + ms / 2);
  EXPECT_LE(pairing.hold_until(), now + 2 * ms);
}

TEST(Pairing, AWaitInPlaceOfTheSendEndsIt) {
  Pairing pairing;
  std::uint64_t now = exchanges(pairing, 5, ms / 2);
  pairing.received(now, true);
  pairing.waited();
  pairing.received(now + ms, true);
  EXPECT_EQ(pairing.hold_until(), 0u);
}

TEST(Pairing, ReceivesOnlyAreNeverHeld) {
  Pairing pairing;
  for (std::uint64_t now = ms; now < 50 * ms; now += ms) {
    pairing.received(now, true);
    EXPECT_EQ(pairing.hold_until(), 0u);
    pairing.waited();
  }
}

TEST(Pairing, WhatIsInFlightAlreadyIsNotHeldUp) {
  Pairing pairing;
  const std::uint64_t now = exchanges(pairing, 5, ms / 2);
  pairing.received(now, false);
  EXPECT_EQ(pairing.hold_until(), 0u);
}

TEST(Pairing, SendsThatComeLateAreNotWaitedFor) {
  Pairing pairing;
  const std::uint64_t now = exchanges(pairing, 20, 15 * ms);
  pairing.received(now, true);
  EXPECT_EQ(pairing.hold_until(), 0u);
}

}  // namespace
