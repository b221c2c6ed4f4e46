// SPDX-License-Identifier: Apache-2.0
#include "sets/path.hpp"

#include <fmt/format.h>

namespace lapwing::sets {
namespace {

bool has_branch(const lapwing_split_merge& merge, int branch) {
  return (merge.branches[branch / 64] >> (branch % 64) & 1u) != 0;
}

}  // namespace

void PathRecorder::split(const lapwing_split_site* site, int branch, int, const void*, bool) {
  // Met again before its last merge: a loop goes round.
  for (std::size_t i = stack_.size(); i-- > 0;) {
    if (stack_[i].site != site) continue;
    stack_.resize(i);
    break;
  }
  last_[site] = branch;
  stack_.push_back({site, branch});
}

void PathRecorder::merge(const lapwing_merge_site* site) {
  for (std::size_t i = stack_.size(); i-- > 0;) {
    const lapwing_split_site& split = *stack_[i].site;
    for (int m = 0; m < split.merges; ++m) {
      if (split.merge[m].site != site) continue;
      // Only the last merge ends a split; at the others only some meet.
      if (m == split.merges - 1 && has_branch(split.merge[m], stack_[i].branch)) stack_.resize(i);
      return;
    }
  }
}

unsigned PathRecorder::enter() { return static_cast<unsigned>(stack_.size()); }

void PathRecorder::leave(unsigned depth) {
  if (depth < stack_.size()) stack_.resize(depth);
}

std::string PathRecorder::text() const {
  std::string text;
  auto add = [&](const char* mark, const lapwing_place& place, int branch) {
    const std::string file = place.file ? place.file : "?";
    text += fmt::format("{}{}:{} branch {}\n", mark, file.substr(file.rfind('/') + 1), place.line, branch);
  };
  for (const Taken& taken : stack_) add("", taken.site->place, taken.branch);
  for (const auto& [site, branch] : last_) add("~", site->place, branch);
  return text;
}

PathRecorder& path_recorder() {
  static PathRecorder recorder;
  return recorder;
}

std::string path_text() { return path_recorder().text(); }

}  // namespace lapwing::sets
