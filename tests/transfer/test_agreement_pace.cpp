// SPDX-License-Identifier: Apache-2.0
// An agreement to try strips ends where no trial follows, and the next one comes later and later.
#include <gtest/gtest.h>

#include "transfer/decisions/agreement_pace.hpp"

namespace {

using lapwing::transfer::AgreementPace;

// Iterations that agreements last when no trial ever begins.
int agreed_of(int iterations) {
  AgreementPace pace;
  bool agreed = false;
  int lasted = 0;
  for (int i = 0; i < iterations; ++i) {
    lasted += agreed;
    if (pace.iteration(agreed))
      agreed = false;
    else if (pace.may_agree())
      agreed = true;
  }
  return lasted;
}

TEST(AgreementPace, AnAgreementWithoutTrialEnds) {
  AgreementPace pace;
  EXPECT_TRUE(pace.may_agree());
  int iterations = 1;
  while (!pace.iteration(true)) ASSERT_LT(++iterations, 10);
  EXPECT_GE(iterations, 4) << "the trial begins three iterations after the offer";
  EXPECT_FALSE(pace.may_agree());
}

TEST(AgreementPace, AgreementsWithoutTrialAreRare) {
  EXPECT_LE(agreed_of(300), 30);
  EXPECT_LE(agreed_of(10'000), 60);
  EXPECT_GE(agreed_of(10'000), 20) << "loops change, so they are never given up";
}

TEST(AgreementPace, ATrialMakesTheNextAgreementPossibleAtOnce) {
  AgreementPace pace;
  while (!pace.iteration(true)) {
  }
  pace.trial_began();
  EXPECT_TRUE(pace.may_agree());
}

TEST(AgreementPace, IterationsWithoutAgreementCostNothing) {
  AgreementPace pace;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(pace.iteration(false));
  EXPECT_TRUE(pace.may_agree());
}

}  // namespace
