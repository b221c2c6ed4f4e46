// SPDX-License-Identifier: Apache-2.0
// The branches that a process has taken, against a recorder that searches for everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sets/check/path.hpp"

namespace {

using lapwing::sets::PathRecorder;

struct Searching {
  std::vector<std::pair<const lapwing_split_site*, int>> stack;
  std::map<const lapwing_split_site*, int> last;

  void split(const lapwing_split_site* site, int branch) {
    for (std::size_t i = stack.size(); i-- > 0;) {
      if (stack[i].first == site) {
        stack.resize(i);
        break;
      }
    }
    last[site] = branch;
    stack.emplace_back(site, branch);
  }
  void merge(const lapwing_merge_site* site) {
    for (std::size_t i = stack.size(); i-- > 0;) {
      if (stack[i].first->merges && stack[i].first->merge->site == site) return stack.resize(i);
    }
  }
  std::string text() const {
    std::string text;
    auto line = [&](const char* mark, const lapwing_split_site* site, int branch) {
      text += std::string(mark) + site->place.file + ":" + std::to_string(site->place.line) + " took way " +
              std::to_string(branch + 1) + " of 2\n";
    };
    for (const auto& [site, branch] : stack) line("", site, branch);
    for (const auto& [site, branch] : last) line("~", site, branch);
    return text;
  }
};

TEST(Path, IsWhatASearchWouldFind) {
  constexpr int count = 700;
  const unsigned long long both[] = {3};
  std::vector<lapwing_merge_site> merges(count);
  std::vector<lapwing_split_merge> ends;
  std::vector<lapwing_split_site> sites(count);
  for (int i = 0; i < count; ++i) ends.push_back({&merges[static_cast<std::size_t>(i)], both});
  for (std::size_t i = 0; i < count; ++i) {
    sites[i].place.file = "a.c";
    sites[i].place.line = static_cast<int>(i);
    sites[i].branches = 2;
    sites[i].merges = i % 5 ? 1 : 0;
    sites[i].merge = &ends[i];
  }
  std::mt19937 random(7);
  PathRecorder path;
  Searching searching;
  for (int step = 0; step < 60000; ++step) {
    // Few sites at first, so that the table grows while the stack is in use.
    const std::size_t known = std::min<std::size_t>(count, 3 + static_cast<std::size_t>(step) / 60);
    const std::size_t i = random() % known;
    const unsigned what = random() % 100;
    if (what < 70) {
      const int branch = static_cast<int>(random() % 2);
      path.split(&sites[i], branch, 0, nullptr, false);
      searching.split(&sites[i], branch);
    } else if (what < 99) {
      path.merge(&merges[i]);
      searching.merge(&merges[i]);
    } else {
      ASSERT_EQ(path.enter(), searching.stack.size());
      const unsigned depth = random() % (path.enter() + 1);
      path.leave(depth);
      if (depth < searching.stack.size()) searching.stack.resize(depth);
    }
    if (step % 61 == 0) {
      ASSERT_EQ(path.text(), searching.text()) << "after step " << step;
    }
  }
}

}  // namespace
