// SPDX-License-Identifier: Apache-2.0
#include "sets/open_splits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace lapwing::sets {

std::string describe(const lapwing_place& place) {
  if (!place.file || !*place.file) return place.function ? place.function : "an unknown place";
  const char* const slash = std::strrchr(place.file, '/');
  return fmt::format("{}:{}", slash ? slash + 1 : place.file, place.line);
}

// One that is over is used again: it is at hand, in the processor's caches too.
inline Ballot& Stack::vote(const lapwing_place& place, int branches, int branch) {
  BallotRef ballot;
  for (BallotRef& spare : spare_) {
    if (spare->references != 1) continue;
    ballot = spare;
    ballot->begin(place, branches, branch, current_);
    break;
  }
  if (!ballot) [[unlikely]] {
    ballot = BallotRef(new Ballot(place, branches, branch, current_));
    if (spare_.size() < most_spare) spare_.push_back(ballot);
  }
  current_ = Subset(ballot, nullptr);
  serial_ = ++serials_;
  levels_.back().ballot = std::move(ballot);
  return *levels_.back().ballot;
}

[[gnu::hot]] Ballot& Stack::split(Frame frame, const lapwing_split_site& site, int branch, bool everywhere) {
  const lapwing_merge_site* last = site.merges > 0 ? site.merge[site.merges - 1].site : nullptr;
  const bool joins = !levels_.empty() && !levels_.back().hand && levels_.back().frame == frame &&
                     levels_.back().last == last;
  if (!joins) levels_.push_back({frame, false, false, last, nullptr, {}, current_, serial_});
  Level& level = levels_.back();
  level.site = &site;
  if (everywhere && !level.everywhere) ++everywhere_;
  level.everywhere |= everywhere;
  return vote(site.place, site.branches, branch);
}

[[gnu::hot]] Ballot& Stack::split_by_hand(Frame frame, const lapwing_place& place, int branches, int branch) {
  levels_.push_back({frame, true, false, nullptr, nullptr, {}, current_, serial_});
  return vote(place, branches, branch);
}

inline void Stack::pop() {
  if (levels_.back().everywhere) --everywhere_;
  current_ = std::move(levels_.back().before);
  serial_ = levels_.back().serial_before;
  levels_.pop_back();
}

// A split by hand that is open where a scope around it ends was not merged.
void Stack::refuse_if_hidden(Frame frame, const lapwing_merge_site* site) const {
  for (std::size_t i = levels_.size(); i-- > 0;) {
    const Level& level = levels_[i];
    if (level.hand || !(level.frame == frame) || level.last != site) continue;
    throw Misuse(fmt::format("the lapwing_split at {} is still open where the split at {}, around it, ends",
                             describe(levels_.back().place()), describe(level.place())));
  }
}

[[gnu::hot]] void Stack::merge(Frame frame, const lapwing_merge_site* site) {
  while (!levels_.empty()) {
    Level& top = levels_.back();
    if (top.hand) refuse_if_hidden(frame, site);
    if (top.hand || !(top.frame == frame)) return;
    if (top.last == site) {
      pop();
      continue;
    }
    for (int i = 0; i + 1 < top.site->merges; ++i) {
      const lapwing_split_merge& merge = top.site->merge[i];
      const int mine = top.ballot->mine;
      if (merge.site != site || (merge.branches[mine / 64] >> (mine % 64) & 1) == 0) continue;
      current_ = Subset(top.ballot, merge.branches);
      serial_ = ++serials_;
      break;
    }
    return;
  }
}

[[gnu::hot]] void Stack::merge_by_hand(const lapwing_place& place) {
  if (levels_.empty())
    throw Misuse(fmt::format("lapwing_merge at {}: no split of this communicator is open", describe(place)));
  if (!levels_.back().hand) {
    throw Misuse(fmt::format(
        "lapwing_merge at {}: the innermost open split of this communicator is the branch at {}, which ends "
        "by itself",
        describe(place), describe(levels_.back().place())));
  }
  pop();
}

void Stack::leave(Frame frame) {
  while (!levels_.empty()) {
    const Level& top = levels_.back();
    const bool inside = top.frame.thread == frame.thread && top.frame.depth >= frame.depth;
    if (!inside) return;
    if (top.hand) {
      // Open by hand beyond the function that opened it: its own affair, unless
      // something of this function's lies below.
      for (const Level& level : levels_) {
        if (level.hand || level.frame.thread != frame.thread || level.frame.depth < frame.depth) continue;
        throw Misuse(
            fmt::format("the lapwing_split at {} is still open where the function of the split at "
                        "{} returns",
                        describe(top.place()), describe(level.place())));
      }
      return;
    }
    pop();
  }
}

bool Stack::active(const Set* set) {
  return current_.get() == set || std::any_of(levels_.begin(), levels_.end(),
                                              [set](Level& level) { return level.before.get() == set; });
}

const lapwing_place* Stack::by_hand() const {
  for (std::size_t i = levels_.size(); i-- > 0;) {
    if (levels_[i].hand) return &levels_[i].place();
  }
  return nullptr;
}

}  // namespace lapwing::sets
