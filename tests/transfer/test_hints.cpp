// SPDX-License-Identifier: Apache-2.0
// Files of hints, good and bad, and which of several hints counts.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "transfer/hints/hint_file.hpp"

namespace lapwing::transfer {
namespace {

class HintFiles : public ::testing::Test {
 protected:
  HintFile read(const std::string& text) {
    std::ofstream(path_) << text;
    HintFile file;
    file.read(path_, &complaint_);
    unlink(path_.c_str());
    return file;
  }
  const std::string path_ = "/tmp/lapwing-hints-" + std::to_string(getpid());
  std::string complaint_;
};

Place place(const char* site, const char* function) { return {site, function, "/bin/heat", "0x10"}; }

TEST_F(HintFiles, AreFoundByLineAndByFunction) {
  HintFile file =
      read("# a comment\n\nheat.c:12 order=down first=64K\nexchange first=1M max=2097152 train=3  # more\n");
  EXPECT_EQ(complaint_, "");
  EXPECT_EQ(file.find(place("heat.c:99", "main")).text(), "");
  EXPECT_FALSE(file.entries()[0].used);
  // The line's hints are over those of its function.
  EXPECT_EQ(file.find(place("heat.c:12", "exchange(double*, int)")).text(),
            "order=down first=64K max=2048K train=3");
  EXPECT_TRUE(file.entries()[0].used);
  EXPECT_TRUE(file.entries()[1].used);
  EXPECT_EQ(file.find(place("heat+0x12", "exchange")).text(), "first=1024K max=2048K train=3");
}

TEST_F(HintFiles, OfTwoLinesAboutOnePlaceTheLaterCounts) {
  HintFile file = read("a.c:1 order=down train=2\na.c:1 order=up\n");
  EXPECT_EQ(file.find(place("a.c:1", "")).text(), "order=up train=2");
}

TEST_F(HintFiles, BadLinesAreLeftOutAndSaidInOneSentence) {
  const std::pair<const char*, const char*> cases[] = {
      {"a.c:1 ordr=up\n", "line 1: ordr=up is no hint; did you mean order?; the line is left out"},
      {"a.c:1 order=sideways\n", "order=sideways is neither order=up nor order=down"},
      {"a.c:1 first=0\n", "first=0 gives no size such as 64K"},
      {"a.c:1 max=3G\n", "max=3G gives no size"},
      {"a.c:1 train=0\n", "train=0 gives no number of messages from 1 to 1000000"},
      {"a.c:1 train=2x\n", "train=2x gives no number"},
      {"a.c:1\n", "a.c:1 has no hint behind it"},
      {"\na.c:1 first\nb.c:1 up\n", "line 2: first gives no size such as 64K; 2 lines are left out"},
  };
  for (const auto& [text, words] : cases) {
    HintFile file = read(std::string(text) + "good.c:1 order=up\n");
    EXPECT_NE(complaint_.find(words), std::string::npos) << text << ": " << complaint_;
    ASSERT_EQ(file.entries().size(), 1u) << text;
    EXPECT_EQ(file.entries()[0].place, "good.c:1");
  }
  HintFile missing;
  missing.read("/nowhere/hints", &complaint_);
  EXPECT_EQ(complaint_, "the hints in /nowhere/hints cannot be read: No such file or directory");
}

TEST(Hints, AThreadHasItsOwn) {
  hints_of_this_thread().train = 5;
  EXPECT_EQ(hints_of_this_thread().over({}).text(), "train=5");
  Hints weaker;
  weaker.train = 7;
  weaker.order = Direction::up;
  EXPECT_EQ(hints_of_this_thread().over(weaker).text(), "order=up train=5");
  hints_of_this_thread() = {};
  EXPECT_FALSE(hints_of_this_thread().any());
}

}  // namespace
}  // namespace lapwing::transfer
