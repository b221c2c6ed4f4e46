// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "transfer/decisions/send_waits.hpp"

using lapwing::transfer::SendWaits;

namespace {

const std::thread::id here = std::this_thread::get_id();

TEST(SendWaits, AReceiveClaimsASendThatBeganAfterItWasPosted) {
  SendWaits sends;
  sends.note({1, here, 100, 10});
  EXPECT_EQ(sends.claim(1, 150, here), 0u);
  sends.note({1, here, 200, 30});
  EXPECT_EQ(sends.claim(1, 150, here), 30u);
}

TEST(SendWaits, ASendIsClaimedOnce) {
  SendWaits sends;
  sends.note({1, here, 100, 10});
  EXPECT_EQ(sends.claim(1, 50, here), 10u);
  EXPECT_EQ(sends.claim(1, 50, here), 0u);
}

TEST(SendWaits, EachOfSeveralReceivesClaimsTheSendToItsOwnPeer) {
  SendWaits sends;
  sends.note({1, here, 100, 10});
  sends.note({2, here, 200, 20});
  EXPECT_EQ(sends.claim(2, 50, here), 20u);
  EXPECT_EQ(sends.claim(1, 50, here), 10u);
}

TEST(SendWaits, AShiftClaimsTheSendToTheOtherNeighbour) {
  SendWaits sends;
  sends.note({2, here, 100, 10});
  EXPECT_EQ(sends.claim(1, 50, here), 10u);
}

TEST(SendWaits, AReceiveClaimsOneSendOfMany) {
  SendWaits sends;
  for (int peer = 2; peer < 6; ++peer) sends.note({peer, here, 100u + static_cast<unsigned>(peer), 7});
  EXPECT_EQ(sends.claim(1, 50, here), 7u);
}

TEST(SendWaits, AReceiveThatIsPostedBehindASendLeavesItToEarlierOnes) {
  SendWaits sends;
  sends.note({1, here, 100, 10});
  EXPECT_EQ(sends.claim(1, 150, here), 0u);
  EXPECT_EQ(sends.claim(1, 50, here), 10u);
}

TEST(SendWaits, AnotherThreadsSendIsNotClaimed) {
  SendWaits sends;
  sends.note({1, std::thread::id(), 100, 10});
  EXPECT_EQ(sends.claim(1, 50, here), 0u);
}

}  // namespace
