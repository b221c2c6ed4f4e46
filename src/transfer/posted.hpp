// SPDX-License-Identifier: Apache-2.0
// Memory into which MPI itself may still write for receives that are posted.
//
// A program may post a receive into a buffer for which another one is pending.
// MPI forbids it, yet plainly it works, and MPI's own tests do it. If the first
// message to arrive closed the buffer, MPI would stop while it writes the other
// one, with its lock held; and one header would overwrite another before it is
// read. So the later receives get memory of their own, to be copied at the end,
// and none of them closes a page.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "transfer/wire/datatype.hpp"

namespace lapwing::transfer {

/// Groups of receives whose memory hangs together. Groups do not overlap, so
/// looking for one costs a logarithm, however many receives are pending. A group
/// keeps its extent until its last receive ends.
class PostedReceives {
 public:
  bool meets(const Span& span) const {
    const auto next = groups_.lower_bound(span.begin + span.length);
    return next != groups_.begin() && span.length != 0 && std::prev(next)->second.end > span.begin;
  }

  /// Adds a receive; the keys of all in its group but itself.
  std::vector<std::uint64_t> add(const Span& span, std::uint64_t key) {
    if (span.length == 0) return {};
    Group merged{span.begin + span.length, {}};
    const char* begin = span.begin;
    auto after = groups_.lower_bound(merged.end);
    while (after != groups_.begin() && std::prev(after)->second.end > begin) {
      const auto met = std::prev(after);
      begin = std::min(begin, met->first);
      merged.end = std::max(merged.end, met->second.end);
      merged.keys.insert(merged.keys.end(), met->second.keys.begin(), met->second.keys.end());
      after = groups_.erase(met);
    }
    std::vector<std::uint64_t> others = merged.keys;
    merged.keys.push_back(key);
    groups_[begin] = std::move(merged);
    return others;
  }

  void remove(const Span& span, std::uint64_t key) {
    const auto next = groups_.lower_bound(span.begin + span.length);
    if (span.length == 0 || next == groups_.begin()) return;
    const auto group = std::prev(next);
    auto& keys = group->second.keys;
    keys.erase(std::remove(keys.begin(), keys.end(), key), keys.end());
    if (keys.empty()) groups_.erase(group);
  }

 private:
  struct Group {
    const char* end;
    std::vector<std::uint64_t> keys;
  };
  std::map<const char*, Group> groups_;
};

}  // namespace lapwing::transfer
