// SPDX-License-Identifier: Apache-2.0
// A program that calls hints runs where there is no Lapwing, and without linking anything of it.
#include <gtest/gtest.h>
#include <mpi.h>

#include "lapwing/hints.hpp"

TEST(HintsWithoutLapwing, AreNotTakenAndDoNoHarm) {
  EXPECT_EQ(lapwing_set_order(LAPWING_ORDER_DOWN), -1);
  EXPECT_EQ(lapwing_set_decomposition(4096, 65536), -1);
  EXPECT_EQ(lapwing_set_train(2), -1);
  EXPECT_EQ(lapwing_reset_hints(), -1);
  EXPECT_FALSE(lapwing::HintScope({LAPWING_ORDER_UP, 0, 0, 0}).given());
}
