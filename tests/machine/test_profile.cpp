// SPDX-License-Identifier: Apache-2.0
// What follows from a profile, and profiles that are no profiles.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "machine/profile.hpp"

namespace lapwing::machine {
namespace {

// A gigabit link and the guards of a small machine.
constexpr Profile gigabit{6, 15, 8.5, 9, 8, 0.003, 0.06};

std::string file_with(const std::string& text) {
  const std::string path = testing::TempDir() + "lapwing-profile-" + std::to_string(getpid());
  std::ofstream(path) << text;
  return path;
}

TEST(Thresholds, DefaultsWhereNothingWasMeasured) {
  const Thresholds t = thresholds_of(Profile{}), defaults;
  EXPECT_EQ(t.guard, defaults.guard);
  EXPECT_EQ(t.strip, defaults.strip);
  EXPECT_EQ(t.first, defaults.first);
}

TEST(Thresholds, OnlySlowNetworksPayForSmallMessages) {
  Profile fast = gigabit;
  fast.gap_ns_per_byte = 0.1;
  const Thresholds slow_t = thresholds_of(gigabit), fast_t = thresholds_of(fast);
  EXPECT_LT(slow_t.guard, 128u << 10);
  EXPECT_GT(fast_t.guard, slow_t.guard);
  EXPECT_GE(slow_t.strip, slow_t.guard);
  EXPECT_EQ(slow_t.first % 4096, 0u);
}

TEST(Thresholds, AFirstStripMustCoverACostlierFault) {
  Profile slow_faults = gigabit;
  slow_faults.fault_us = 400;
  EXPECT_GT(thresholds_of(slow_faults).first, thresholds_of(gigabit).first);
}

TEST(Profile, ReadsWhatItWrites) {
  const std::string path = file_with(profile_as_json(gigabit, "mpich", false));
  Profile read;
  std::string why;
  ASSERT_TRUE(read_profile(path, &read, &why)) << why;
  EXPECT_DOUBLE_EQ(read.gap_ns_per_byte, gigabit.gap_ns_per_byte);
  EXPECT_DOUBLE_EQ(read.fault_us, gigabit.fault_us);
  std::remove(path.c_str());
}

TEST(Profile, SaysWhatIsWrong) {
  Profile read;
  std::string why;
  EXPECT_FALSE(read_profile("/nonexistent/profile", &read, &why));
  EXPECT_NE(why.find("/nonexistent/profile"), std::string::npos);
  const std::string path = file_with("no json at all");
  EXPECT_FALSE(read_profile(path, &read, &why));
  EXPECT_NE(why.find("lapwing tune"), std::string::npos);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace lapwing::machine
