// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/falls.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

namespace lapwing::arrays {

namespace {

// Longer runs of a list count as several.
constexpr std::size_t longest_listed = 4096;

/// The end of the run that begins at this element of a list.
std::int64_t run_end(const std::vector<std::uint32_t>& listed, std::int64_t from, std::int64_t step) {
  auto at = static_cast<std::size_t>(from) + 1;
  const std::size_t end = std::min(listed.size(), at + longest_listed);
  while (at < end && static_cast<std::int64_t>(listed[at]) - listed[at - 1] == step) ++at;
  return static_cast<std::int64_t>(at);
}

/// How many runs there are from this element on, with which one begins.
std::int64_t runs_behind(const std::vector<std::uint32_t>& listed, std::int64_t from, std::int64_t step) {
  std::int64_t result = 1;
  for (auto k = static_cast<std::size_t>(from) + 1; k < listed.size(); ++k)
    result += static_cast<std::int64_t>(listed[k]) - listed[k - 1] != step ? 1 : 0;
  return result;
}

}  // namespace

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
      common_length_ = std::gcd(common_length_, family.length);
    }
    if (!falls.listed.empty()) falls.elements = static_cast<std::int64_t>(falls.listed.size());
    std::int64_t at = 0;
    const std::int64_t all = std::ssize(falls.listed);
    for (; at < all && common_length_ != 1; ++segments) {
      const std::int64_t end = run_end(falls.listed, at, step_);
      common_length_ = std::gcd(common_length_, end - at);
      at = end;
    }
    if (at < all) segments += runs_behind(falls.listed, at, step_);
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

// Lists are for runs that are shorter on average, in elements.
constexpr std::int64_t short_run = 16;
// So many elements a family take no more memory as a list than as families.
constexpr std::int64_t short_family = sizeof(Segments) / sizeof(std::uint32_t);
// Repetitions of fewer elements are listed together: the more, the larger the set is.
constexpr std::int64_t short_list = 128, long_list = 1024, sets_share = 16;

void list_elements(const std::vector<Segments>& families, std::int64_t step, std::int64_t shift,
                   std::vector<std::uint32_t>& listed) {
  for (const Segments& family : families)
    for (std::int64_t k = 0; k < family.count; ++k)
      for (std::int64_t i = 0; i < family.length; ++i)
        listed.push_back(
            static_cast<std::uint32_t>(family.local + k * family.local_stride + i * step + shift));
}

/// Appends a member as a list, where that pays; what is left of its repetitions is one more.
bool append_listed(std::vector<Falls>& members, const Falls& falls, std::int64_t step) {
  const std::int64_t families = std::ssize(falls.inner);
  std::int64_t segments = 0;
  for (const Segments& family : falls.inner) segments += family.count;
  const std::int64_t few = std::clamp(falls.elements * falls.count / sets_share, short_list, long_list);
  const std::int64_t together = std::clamp<std::int64_t>(few / falls.elements, 1, falls.count);
  if (segments < 2 || falls.elements > short_run * segments ||
      falls.elements * together > std::max(few, short_family * families))
    return false;
  if (falls.count == 1 && families < 4) return false;  // few rules are as good as a list
  std::int64_t low = falls.inner[0].local, high = low;
  for (const Segments& family : falls.inner) {
    const std::int64_t across = (family.count - 1) * family.local_stride, along = (family.length - 1) * step;
    low = std::min(
        {low, family.local, family.local + along, family.local + across, family.local + across + along});
    high = std::max(
        {high, family.local, family.local + along, family.local + across, family.local + across + along});
  }
  const std::int64_t further = (together - 1) * falls.local_stride;
  low += std::min<std::int64_t>(0, further);
  high += std::max<std::int64_t>(0, further);
  if (high - low > std::numeric_limits<std::uint32_t>::max()) return false;
  const auto add = [&](std::int64_t first, std::int64_t each, std::int64_t count) {
    Falls made;
    made.count = count;
    made.local = falls.local + first * falls.local_stride + low;
    made.local_stride = each * falls.local_stride;
    made.listed.reserve(static_cast<std::size_t>(each * falls.elements));
    for (std::int64_t k = 0; k < each; ++k)
      list_elements(falls.inner, step, k * falls.local_stride - low, made.listed);
    members.push_back(std::move(made));
  };
  const std::int64_t times = falls.count / together, rest = falls.count % together;
  add(0, together, times);
  if (rest > 0) add(times * together, rest, 1);
  return true;
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
  const auto known = [](const Falls& falls) { return falls.marks.empty() && falls.listed.empty(); };
  if (!std::all_of(set->members().begin(), set->members().end(), known)) return set;
  std::vector<Falls> members;
  bool lists = false;
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
    if (append_listed(members, falls, step)) {
      lists = true;
      continue;
    }
    if (!members.empty() && lone(members.back()) && lone(falls) &&
        members.back().inner[0].local + members.back().inner[0].length * step == first.local) {
      members.back().inner[0].length += first.length;
    } else {
      members.push_back(std::move(falls));
    }
  }
  auto result = std::make_shared<const IndexSet>(std::move(members), step);
  return !lists && result->segments() == set->segments() ? set : result;
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
  if (!falls.listed.empty()) {
    segment_ = element;
    load();
    return;
  }
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
  const std::int64_t base = falls.local + repetition_ * falls.local_stride;
  if (!falls.listed.empty()) {
    const std::int64_t end = run_end(falls.listed, segment_, set_->step());
    local_ = base + falls.listed[static_cast<std::size_t>(segment_)];
    length_ = end - segment_;
    segment_ = end;
    return;
  }
  const Segments& family = falls.inner[family_];
  index_ = falls.first + repetition_ * falls.stride + family.first + segment_ * family.stride;
  local_ = base + family.local + segment_ * family.local_stride;
  length_ = family.length;
}

void SegmentWalk::next() {
  const Falls& falls = set_->members()[member_];
  if (!falls.listed.empty()) {
    if (segment_ == falls.elements) return next_repetition();
    return load();
  }
  if (++segment_ < falls.inner[family_].count) return load();
  segment_ = 0;
  if (++family_ < falls.inner.size()) return load();
  next_repetition();
}

void SegmentWalk::next_repetition() {
  segment_ = 0;
  family_ = 0;
  if (++repetition_ == set_->members()[member_].count) {
    repetition_ = 0;
    if (++member_ == set_->members().size()) {
      length_ = 0;
      return;
    }
  }
  load();
}

SegmentWalk::Ahead SegmentWalk::ahead() const {
  const Falls& falls = set_->members()[member_];
  Ahead result;
  if (!falls.listed.empty()) {
    const std::int64_t at = segment_ - length_;
    result.listed = falls.listed.data() + at;
    result.base = falls.local + repetition_ * falls.local_stride;
    result.elements = falls.elements - at;
    return result;
  }
  const Segments& family = falls.inner[family_];
  if (length_ < family.length) return result;
  result.segments = family.count - segment_;
  result.local_stride = family.local_stride;
  return result;
}

void SegmentWalk::skip_listed(std::int64_t elements) {
  const Falls& falls = set_->members()[member_];
  segment_ += elements - length_;
  if (segment_ == falls.elements) return next_repetition();
  load();
}

void SegmentWalk::skip_segments(std::int64_t segments) {
  segment_ += segments - 1;
  next();
}

}  // namespace lapwing::arrays
