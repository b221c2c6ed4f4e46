// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/falls.hpp"

#include <algorithm>
#include <atomic>

namespace lapwing::arrays {

IndexSet::IndexSet(std::vector<Falls> members, std::int64_t step)
    : members_(std::move(members)), step_(step) {
  static std::atomic<std::uint64_t> last{0};
  serial_ = last.fetch_add(1, std::memory_order_relaxed) + 1;
  for (Falls& falls : members_) {
    falls.before = elements_;
    falls.elements = 0;
    std::int64_t segments = 0;
    for (Segments& family : falls.inner) {
      family.before = falls.elements;
      falls.elements += family.length * family.count;
      segments += family.count;
    }
    elements_ += falls.elements * falls.count;
    segments_ += segments * falls.count;
    families_ += static_cast<std::int64_t>(falls.inner.size());
  }
}

const Segments* IndexSet::only() const {
  const bool one = members_.size() == 1 && members_[0].count == 1 && members_[0].inner.size() == 1;
  return one ? members_[0].inner.data() : nullptr;
}

namespace {

/// One family of one segment, which can be lengthened.
bool lone(const Falls& falls) {
  return falls.count == 1 && falls.inner.size() == 1 && falls.inner[0].count == 1 && falls.local == 0;
}

std::vector<Segments> joined(const std::vector<Segments>& families, std::int64_t step) {
  std::vector<Segments> result;
  for (Segments family : families) {
    if (family.count > 1 && family.local_stride == family.length * step) {
      family.length *= family.count;
      family.count = 1;
    }
    if (!result.empty() && family.count == 1 && result.back().count == 1 &&
        result.back().local + result.back().length * step == family.local) {
      result.back().length += family.length;
    } else {
      result.push_back(family);
    }
  }
  return result;
}

}  // namespace

void append_segment(std::vector<Segments>& families, const Segments& next) {
  if (!families.empty() && families.back().length == next.length) {
    Segments& last = families.back();
    const std::int64_t stride = next.first - (last.first + (last.count - 1) * last.stride);
    const std::int64_t local = next.local - (last.local + (last.count - 1) * last.local_stride);
    if (last.count == 1) {
      last.stride = stride;
      last.local_stride = local;
    }
    if (last.stride == stride && last.local_stride == local) {
      ++last.count;
      return;
    }
  }
  families.push_back(next);
}

std::shared_ptr<const IndexSet> joined_places(const std::shared_ptr<const IndexSet>& set) {
  const std::int64_t step = set->step();
  std::vector<Falls> members;
  for (Falls falls : set->members()) {
    falls.inner = joined(falls.inner, step);
    for (Segments& family : falls.inner) family.first = family.stride = 0;
    falls.first = falls.stride = 0;
    Segments& first = falls.inner[0];
    if (falls.inner.size() == 1 && first.count == 1) {  // repeated at most once from here on
      if (falls.count > 1 && falls.local_stride == first.length * step) {
        first.length *= falls.count;
      } else {
        first.count = falls.count;
        first.local_stride = falls.local_stride;
      }
      first.local += falls.local;
      falls.count = 1;
      falls.local = falls.local_stride = 0;
    }
    if (!members.empty() && lone(members.back()) && lone(falls) &&
        members.back().inner[0].local + members.back().inner[0].length * step == first.local) {
      members.back().inner[0].length += first.length;
    } else {
      members.push_back(std::move(falls));
    }
  }
  auto result = std::make_shared<const IndexSet>(std::move(members), step);
  return result->segments() == set->segments() ? set : result;
}

SegmentWalk::SegmentWalk(const IndexSet& set, std::int64_t element) : set_(&set) {
  const auto& members = set.members();
  if (element >= set.elements()) {
    member_ = members.size();
    return;
  }
  const auto after = [](std::int64_t e, const auto& listed) { return e < listed.before; };
  member_ = static_cast<std::size_t>(std::upper_bound(members.begin(), members.end(), element, after) -
                                     members.begin()) -
            1;
  const Falls& falls = members[member_];
  element -= falls.before;
  repetition_ = element / falls.elements;
  element %= falls.elements;
  const auto& inner = falls.inner;
  family_ =
      static_cast<std::size_t>(std::upper_bound(inner.begin(), inner.end(), element, after) - inner.begin()) -
      1;
  element -= inner[family_].before;
  segment_ = element / inner[family_].length;
  load();
  const std::int64_t within = element % inner[family_].length;
  if (within != 0) advance(within);
}

void SegmentWalk::load() {
  const Falls& falls = set_->members()[member_];
  const Segments& family = falls.inner[family_];
  index_ = falls.first + repetition_ * falls.stride + family.first + segment_ * family.stride;
  local_ = falls.local + repetition_ * falls.local_stride + family.local + segment_ * family.local_stride;
  length_ = family.length;
}

void SegmentWalk::next() {
  const Falls& falls = set_->members()[member_];
  if (++segment_ == falls.inner[family_].count) {
    segment_ = 0;
    if (++family_ == falls.inner.size()) {
      family_ = 0;
      if (++repetition_ == falls.count) {
        repetition_ = 0;
        if (++member_ == set_->members().size()) {
          length_ = 0;
          return;
        }
      }
    }
  }
  load();
}

}  // namespace lapwing::arrays
