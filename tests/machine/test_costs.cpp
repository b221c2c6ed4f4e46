// SPDX-License-Identifier: Apache-2.0
// The inequalities of HUNT 5.1 and the sizes that follow, with the paper's figures and those of other links.
#include <gtest/gtest.h>

#include "costs_support.hpp"

namespace lapwing::machine {
namespace {

constexpr std::size_t K = 1024;
// Memory to caches, of HUNT's machines: the least that a program can compute on what it has received.
constexpr double memory_ns_per_byte = 0.2;

const Costs opteron = costs_of_hunt(1.8, 1.23, 11.6, 2, 1), itanium = costs_of_hunt(3, 4.7, 25.5, 3, 1),
            powerpc = costs_of_hunt(5.2, 1.26, 20.2, 37, 1), alpha = costs_of_hunt(2, 3.96, 8, 5, 1);

Thresholds of(const Costs& costs, bool same_node, bool spare_core) {
  Circumstances in;
  in.same_node = same_node;
  in.spare_core = spare_core;
  return thresholds_of(costs, costs.userfaultfd, in);
}

TEST(Inequalities, TheFirstByHand) {
  // o + M + I/2 + M = 1.8 + 1 + 1 + 1 of an RTT of 11.6: fast signals need no transfer to hide behind.
  EXPECT_NEAR(slack_of_first(opteron, opteron.mprotect, 64 * K, 0), 11.6 - 4.8, 1e-9);
  // 5.2 + 1 + 18.5 + 1 of an RTT of 20.2, and 1.26 us a KB: 4.4 KB.
  EXPECT_NEAR(slack_of_first(powerpc, powerpc.mprotect, 64 * K, 0), 20.2 - 25.7, 1e-9);
  EXPECT_LT(slack_of_first(powerpc, powerpc.mprotect, 64 * K, 4.3 * K), 0);
  EXPECT_GT(slack_of_first(powerpc, powerpc.mprotect, 64 * K, 4.5 * K), 0);
}

TEST(Inequalities, TheSecondByHand) {
  // Two halves: C(32 KB) - I/2 - M.
  EXPECT_NEAR(slack_of_second(opteron, opteron.mprotect, 64 * K, 32 * K, memory_ns_per_byte),
              32 * K * 0.2e-3 - 2, 1e-9);
  EXPECT_LT(slack_of_second(powerpc, powerpc.mprotect, 64 * K, 32 * K, memory_ns_per_byte), 0);
  EXPECT_GT(slack_of_second(powerpc, powerpc.mprotect, 64 * K, 48 * K, memory_ns_per_byte), 0);
}

TEST(Inequalities, TheLeastFirstStripKeepsBoth) {
  for (const Costs& costs : {opteron, itanium, powerpc, alpha}) {
    for (std::size_t bytes = 16 * K; bytes <= 4096 * K; bytes *= 2) {
      const std::size_t first = least_first_strip(costs, costs.mprotect, bytes, memory_ns_per_byte);
      if (first == never) continue;
      const auto size = static_cast<double>(bytes), strip = static_cast<double>(first);
      EXPECT_GE(slack_of_first(costs, costs.mprotect, size, strip), 0);
      EXPECT_GE(slack_of_second(costs, costs.mprotect, size, strip, memory_ns_per_byte), 0);
      const double less = strip - 4096;
      if (less <= 0) continue;
      EXPECT_TRUE(slack_of_first(costs, costs.mprotect, size, less) < 0 ||
                  slack_of_second(costs, costs.mprotect, size, less, memory_ns_per_byte) < 0);
    }
  }
  EXPECT_EQ(least_first_strip(powerpc, powerpc.mprotect, 16 * K, memory_ns_per_byte), never);
}

// HUNT 6.1: 30 to 64 KB with fast signals, about 200 KB with the PowerPC's.
TEST(Thresholds, ThoseThatHuntMeasured) {
  Circumstances in;
  in.compute_ns_per_byte = memory_ns_per_byte;
  in.least_gain = 0;
  for (const Costs& costs : {opteron, itanium, alpha}) {
    const std::size_t strip = thresholds_of(costs, costs.mprotect, in).strip;
    EXPECT_GE(strip, 30 * K);
    EXPECT_LE(strip, 64 * K);
  }
  const std::size_t strip = thresholds_of(powerpc, powerpc.mprotect, in).strip;
  EXPECT_GE(strip, 160 * K);
  EXPECT_LE(strip, 250 * K);
}

TEST(Thresholds, DefaultsWhereNothingWasMeasured) {
  const Thresholds defaults;
  for (const Costs& costs : {Costs{}, opteron}) {  // of the latter no userfaultfd
    const Thresholds t = of(costs, false, true);
    EXPECT_EQ(t.guard, defaults.guard);
    EXPECT_EQ(t.strip, defaults.strip);
    EXPECT_EQ(t.first, defaults.first);
  }
}

TEST(Thresholds, SlowNetworksPayForSmallMessages) {
  const Thresholds slow = of(link_of(80, 0.3), false, true), medium = of(link_of(8.5, 0.3), false, true),
                   fast = of(link_of(0.86, 0.3), false, true);
  EXPECT_LE(slow.strip, 16 * K);
  EXPECT_LE(medium.strip, 32 * K);
  EXPECT_GT(fast.strip, medium.strip);
  EXPECT_LE(fast.strip, 128 * K);
  for (const Thresholds& t : {slow, medium, fast}) {
    EXPECT_LE(t.guard, t.strip);
    EXPECT_EQ(t.first % 4096, 0u);
    EXPECT_GE(t.first, 4096u);
    EXPECT_LE(t.first, largest_strip);
  }
  // Without a free core the helper's work is the program's time, and so are its wake-ups beside a
  // computation.
  EXPECT_GT(of(link_of(0.86, 0.3), false, false).strip, fast.strip);
  const Costs link = link_of(8.5, 0.3);
  Circumstances spare, busy;
  busy.spare_core = false;
  const std::size_t bytes = 64 * K;
  EXPECT_GE(saved_whole_us(link, link.userfaultfd, bytes, spare) -
                saved_whole_us(link, link.userfaultfd, bytes, busy),
            2 * (link.userfaultfd.fault_us / 2 + link.receive_overhead_us));
}

// 10 GB/s gave a threshold of 1 MiB once, and 16 MiB lost.
TEST(Thresholds, NeverInSharedMemoryOnBusyCores) {
  for (const double gap : {0.05, 0.1, 0.2, 0.4}) {
    // Through shared memory both processors copy at the same time; with a single copy the receiver does.
    for (const double sender : {gap, 0.0}) {
      Costs costs = link_of(gap, gap);
      costs.send_ns_per_byte = sender;
      costs.send_overhead_us = costs.receive_overhead_us = 0.3;
      costs.round_trip_us = 0.6;
      EXPECT_EQ(of(costs, true, false).guard, never) << gap << " " << sender;
      EXPECT_EQ(of(costs, true, false).strip, never) << gap << " " << sender;
    }
  }
  // However little of it was seen in the overheads.
  EXPECT_EQ(of(link_of(3, 0.05), true, false).guard, never);
  EXPECT_EQ(of(link_of(0.1, 0.1), true, true).strip, never) << "strips cannot be handled so fast";
}

TEST(Thresholds, FromThereOnAllMessagesGain) {
  for (const double gap : {0.5, 0.86, 2.0, 8.5, 80.0}) {
    const Costs costs = link_of(gap, 0.3);
    Circumstances in;
    const Thresholds t = thresholds_of(costs, costs.userfaultfd, in);
    if (t.strip == never) continue;
    EXPECT_GT(saved_in_strips_us(costs, costs.userfaultfd, t.strip, in), 0);
    EXPECT_GT(saved_in_strips_us(costs, costs.userfaultfd, 8 * t.strip, in), 0);
  }
}

TEST(Thresholds, ACostlierFaultAsksForMore) {
  Costs costs = link_of(8.5, 0.3);
  const Thresholds before = of(costs, false, true);
  costs.userfaultfd.fault_us = 400;
  const Thresholds after = of(costs, false, true);
  EXPECT_GT(after.first, before.first);
  EXPECT_GT(after.strip, before.strip);
  EXPECT_GT(after.guard, before.guard);
}

}  // namespace
}  // namespace lapwing::machine
