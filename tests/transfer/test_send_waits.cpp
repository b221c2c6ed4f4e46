// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "transfer/decisions/send_waits.hpp"

using lapwing::transfer::SendWaits;

TEST(SendWaits, AReceiveClaimsTheSendsThatBeganAfterItWasPosted) {
  SendWaits sends;
  sends.note(100, 10);
  sends.note(200, 30);
  sends.note(300, 5);
  EXPECT_EQ(sends.claim(150), 35u);
}

TEST(SendWaits, TimeIsClaimedOnce) {
  SendWaits sends;
  sends.note(100, 10);
  EXPECT_EQ(sends.claim(50), 10u);
  EXPECT_EQ(sends.claim(50), 0u);
}

TEST(SendWaits, AReceiveThatIsPostedAfterASendLeavesNothingForLaterOnes) {
  SendWaits sends;
  sends.note(100, 10);
  EXPECT_EQ(sends.claim(150), 0u);
  EXPECT_EQ(sends.claim(50), 0u);
}

TEST(SendWaits, OfManySendsTheLastAreKept) {
  SendWaits sends;
  for (std::uint64_t i = 1; i <= 100; ++i) sends.note(i, 1);
  EXPECT_EQ(sends.claim(0), 8u);
}
