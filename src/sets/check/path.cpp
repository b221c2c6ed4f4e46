// SPDX-License-Identifier: Apache-2.0
#include "sets/check/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>

#include "sets/check/targets.hpp"

namespace lapwing::sets {
namespace {

bool has_branch(const lapwing_split_merge& merge, int branch) {
  return (merge.branches[branch / 64] >> (branch % 64) & 1u) != 0;
}

constexpr int any_function = 1 << 30;  // so many branches have calls through pointers

// Where a branch goes on, if no other goes on there.
std::string way(const lapwing_split_site& site, int branch) {
  const int line = site.ways && branch < site.branches ? site.ways[branch] : 0;
  for (int other = 0; line > 0 && other < site.branches; ++other) {
    if (other != branch && site.ways[other] == line)
      return fmt::format("took way {} of {}", branch + 1, site.branches);
  }
  return line > 0 ? fmt::format("went on at line {}", line)
                  : fmt::format("took way {} of {}", branch + 1, site.branches);
}

}  // namespace

void PathRecorder::split(const lapwing_split_site* site, int branch, int, const void*, bool) {
  Met& known = met(site);
  // Met again before its last merge: a loop goes round. No site is there twice.
  if (known.open < stack_.size() && stack_[known.open].site == site) stack_.resize(known.open);
  known.branch = branch;
  known.open = stack_.size();
  stack_.push_back({site, branch});
}

PathRecorder::Met& PathRecorder::slot(const lapwing_split_site* site) {
  const std::size_t mask = met_.size() - 1;
  std::size_t at = (reinterpret_cast<std::uintptr_t>(site) >> 4) * 0x9e3779b97f4a7c15u >> 32 & mask;
  while (met_[at].site && met_[at].site != site) at = (at + 1) & mask;
  return met_[at];
}

PathRecorder::Met& PathRecorder::met(const lapwing_split_site* site) {
  Met* found = &slot(site);
  if (found->site) return *found;
  if (2 * ++sites_ > met_.size()) {
    std::vector<Met> old(2 * met_.size());
    old.swap(met_);
    for (const Met& one : old) {
      if (one.site) slot(one.site) = one;
    }
    found = &slot(site);
  }
  // Nowhere on the stack: no site is at its end.
  found->site = site;
  found->open = stack_.size();
  return *found;
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

unsigned PathRecorder::call_through(const lapwing_pointer_site* site, const void* function) {
  const auto depth = static_cast<unsigned>(stack_.size());
  split(&site->split, Targets::number(function), 0, nullptr, false);
  return depth + 1;
}

unsigned PathRecorder::enter() { return static_cast<unsigned>(stack_.size()); }

void PathRecorder::leave(unsigned depth) {
  if (depth < stack_.size()) stack_.resize(depth);
}

std::string PathRecorder::text(std::string (*name)(int)) const {
  std::string text;
  auto add = [&](const char* mark, const lapwing_split_site& site, int branch) {
    const std::string file = site.place.file ? site.place.file : "?";
    const std::string words =
        site.branches == any_function && name ? "called " + name(branch) : way(site, branch);
    text += fmt::format("{}{}:{} {}\n", mark, file.substr(file.rfind('/') + 1), site.place.line, words);
  };
  for (const Taken& taken : stack_) add("", *taken.site, taken.branch);
  std::vector<Met> all;
  for (const Met& one : met_) {
    if (one.site) all.push_back(one);
  }
  std::sort(all.begin(), all.end(), [](const Met& a, const Met& b) { return std::less<>()(a.site, b.site); });
  for (const Met& one : all) add("~", *one.site, one.branch);
  return text;
}

PathRecorder& path_recorder() {
  static PathRecorder recorder;
  return recorder;
}
}  // namespace lapwing::sets
