// SPDX-License-Identifier: Apache-2.0
// The table of options: every row is sound, and values are checked by its kind.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "options/check.hpp"

namespace lapwing::options {
namespace {

TEST(Table, EveryRowIsSound) {
  std::set<std::string_view> names, flags;
  for (const Option& option : table) {
    SCOPED_TRACE(std::string(option.name));
    EXPECT_TRUE(names.insert(option.name).second) << "twice";
    EXPECT_TRUE(option.name == "LAPWING" || option.name.starts_with("LAPWING_"));
    EXPECT_EQ(option.part == Part::tasks, option.name.starts_with("LAPWING_TASKS_"));
    EXPECT_FALSE(option.meaning.empty());
    EXPECT_NE(option.meaning.back(), '.');
    // The default is a value that the option takes.
    if (!option.fallback.empty()) {
      EXPECT_EQ(complaint(option, option.fallback), "");
    }
    if (option.flag.empty()) continue;
    EXPECT_TRUE(flags.insert(option.flag).second) << "twice";
    if (const auto at = option.flag.find('='); at != std::string_view::npos) {
      EXPECT_EQ(complaint(option, option.flag.substr(at + 1)), "");
    }
  }
}

TEST(Table, ValuesAreCheckedByKind) {
  EXPECT_EQ(complaint(*find("LAPWING_DEFER"), "on"), "");
  EXPECT_EQ(complaint(*find("LAPWING_DEFER"), "all"), "auto, on or off");
  EXPECT_EQ(complaint(*find("LAPWING_WINDOW"), "64K"), "");
  EXPECT_NE(complaint(*find("LAPWING_WINDOW"), "0"), "");
  EXPECT_NE(complaint(*find("LAPWING_THRESHOLD_GUARD"), "8287").find("from 8288 on"), std::string::npos);
  EXPECT_EQ(complaint(*find("LAPWING_THRESHOLD_GUARD"), "8288"), "");
  EXPECT_EQ(complaint(*find("LAPWING_TASKS_STACK"), "16"), "");
  EXPECT_EQ(complaint(*find("LAPWING_TASKS_STACK"), "15"), "a number from 16 to 1048576 KiB");
  EXPECT_NE(complaint(*find("LAPWING_TASKS_PATIENCE"), "5us"), "");
  EXPECT_EQ(complaint(*find("LAPWING_TASKS_PATIENCE"), "0.5"), "");
  EXPECT_EQ(complaint(*find("LAPWING_REPORT"), "anything"), "");
}

TEST(Table, Bytes) {
  std::size_t bytes = 1;
  EXPECT_TRUE(parse_bytes("0", &bytes));
  EXPECT_EQ(bytes, 0U);
  EXPECT_TRUE(parse_bytes("3g", &bytes));
  EXPECT_EQ(bytes, std::size_t{3} << 30);
  for (const char* wrong : {"", "K", "1KB", "-1", "1.5M", "99999999999999999999", "9999999999999G"})
    EXPECT_FALSE(parse_bytes(wrong, &bytes)) << wrong;
  EXPECT_EQ(default_bytes("LAPWING_STRIP_FIRST"), 8192U);
}

TEST(Table, NearestNames) {
  EXPECT_EQ(nearest_variable("LAPWING_DEFFER"), "LAPWING_DEFER");
  EXPECT_EQ(nearest_variable("LAPWING_WINODW"), "LAPWING_WINDOW");
  EXPECT_EQ(nearest_variable("PATH"), "");
  EXPECT_EQ(did_you_mean("rnu", {"run", "report"}), "; did you mean run?");
  EXPECT_EQ(nearest("repo", {"run", "report"}), "report");
}

}  // namespace
}  // namespace lapwing::options
