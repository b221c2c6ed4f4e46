// SPDX-License-Identifier: Apache-2.0
// What strips would hide, from when the program touched what it received.
#include <gtest/gtest.h>

#include "transfer/decisions/saving.hpp"

namespace lapwing::transfer {
namespace {

constexpr std::uint64_t ms = 1'000'000;

Touches touched_at(std::initializer_list<std::uint64_t> times) {
  Touches touches;
  for (const std::uint64_t time : times) touches.after[touches.parts++] = time;
  return touches;
}

TEST(Saving, NothingIsKnownBeforeALook) { EXPECT_EQ(saving(10 * ms, Touches{}), 0u); }

TEST(Saving, DataThatIsUnpackedAtOnceHidesNothing) {
  EXPECT_EQ(saving(10 * ms, touched_at({0, 10'000, 20'000, 30'000})), 0u);
}

TEST(Saving, DataThatIsNeverTouchedHidesTheWait) {
  const auto saved = saving(10 * ms, touched_at({Touches::never, Touches::never}));
  EXPECT_GT(saved, 9 * ms);
  EXPECT_LT(saved, 10 * ms);
}

TEST(Saving, AReaderAsSlowAsTheLinkWaitsForOnePart) {
  const auto saved = saving(8 * ms, touched_at({0, 2 * ms, 4 * ms, 6 * ms}));
  EXPECT_GT(saved, 5 * ms);  // 8, less one part of 2, less what strips cost
  EXPECT_LT(saved, 6 * ms);
}

TEST(Saving, TheOrderOfAddressesDoesNotMatter) {
  EXPECT_EQ(saving(8 * ms, touched_at({6 * ms, 4 * ms, 2 * ms, 0})),
            saving(8 * ms, touched_at({0, 2 * ms, 4 * ms, 6 * ms})));
}

TEST(Saving, StripsInAnOrderOfTheirOwnHelpAReaderInThatOrder) {
  const Touches down = touched_at({6 * ms, 4 * ms, 2 * ms, 0});
  EXPECT_EQ(saving(8 * ms, down, Arrival::down), saving(8 * ms, down));
  // Of four parts the reader waits for all before it has the first that it wants.
  EXPECT_EQ(saving(8 * ms, down, Arrival::up), 0u);
  EXPECT_EQ(saving(8 * ms, touched_at({0, 2 * ms, 4 * ms, 6 * ms}), Arrival::up), saving(8 * ms, down));
}

TEST(Saving, AShortWaitIsNotWorthTheCost) { EXPECT_EQ(saving(30'000, touched_at({Touches::never})), 0u); }

}  // namespace
}  // namespace lapwing::transfer
