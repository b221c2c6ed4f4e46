// SPDX-License-Identifier: Apache-2.0
#include "transfer/compiled/interior_range.hpp"

#include <algorithm>

namespace lapwing::transfer {
namespace {

// No program has more: numbers beyond are those of loops that do not run, for which they mean nothing. Below
// them no sum here overflows.
constexpr std::int64_t most_rounds = std::int64_t{1} << 40;
constexpr std::int64_t most_bytes = std::int64_t{1} << 47;

std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

std::int64_t ceiling_of(std::int64_t a, std::int64_t b) { return -floor_of(-a, b); }

// How far an access comes in `back_edges` rounds; nothing beyond the limits above.
bool travel(std::int64_t by, std::uint64_t back_edges, std::int64_t* distance) {
  if (by == 0 || back_edges == 0) return *distance = 0, true;
  if (back_edges >= static_cast<std::uint64_t>(most_rounds)) return false;
  return !__builtin_mul_overflow(by, static_cast<std::int64_t>(back_edges), distance) &&
         *distance > -most_bytes && *distance < most_bytes;
}

// Whether the loops inside of one round come to no byte twice: each moves it by all that those with smaller
// steps cover.
bool comes_nowhere_twice(const AffineAccess& a) {
  std::array<AffineAccess::Step, 3> steps = a.steps;
  const auto size = [](std::int64_t by) { return by < 0 ? -by : by; };
  std::sort(steps.begin(), steps.end(), [&](const AffineAccess::Step& x, const AffineAccess::Step& y) {
    return size(x.by) < size(y.by);
  });
  auto covered = static_cast<std::int64_t>(a.bytes);
  for (const AffineAccess::Step& step : steps) {
    if (step.back_edges == 0) continue;
    if (size(step.by) < covered) return false;
    covered += size(step.by) * static_cast<std::int64_t>(step.back_edges);
  }
  return true;
}

}  // namespace

void InteriorRange::begin(std::uint64_t back_edges) {
  accesses_ = kept_ = met_ = 0;
  own_ = {};
  sound_ = back_edges < static_cast<std::uint64_t>(most_rounds);
  rounds_ = sound_ ? static_cast<std::int64_t>(back_edges) + 1 : 0;
}

bool InteriorRange::resolve(const AffineAccess& a, std::int64_t by, Range* range) const {
  if (a.first >= static_cast<std::uintptr_t>(most_bytes) || a.bytes >= static_cast<std::uint64_t>(most_bytes))
    return false;
  return extend(a, by, range);
}

bool InteriorRange::extend(const AffineAccess& a, std::int64_t by, Range* range) const {
  range->low = static_cast<std::int64_t>(a.first);
  range->high = range->low + static_cast<std::int64_t>(a.bytes);
  range->by = by;
  range->writes = a.writes;
  for (const AffineAccess::Step& step : a.steps) {
    std::int64_t distance = 0;
    if (!travel(step.by, step.back_edges, &distance)) return false;
    (distance < 0 ? range->low : range->high) += distance;
  }
  std::int64_t distance = 0;
  if (!travel(by, static_cast<std::uint64_t>(rounds_ - 1), &distance)) return false;
  range->lowest = range->low + std::min<std::int64_t>(distance, 0);
  range->highest = range->high + std::max<std::int64_t>(distance, 0);
  return true;
}

void InteriorRange::access(const AffineAccess& a) {
  sound_ = sound_ && accesses_ < most && resolve(a, a.by, &access_[accesses_]);
  if (!sound_) return;
  sound_ = !a.alone || !a.writes || comes_nowhere_twice(a);
  Range& range = access_[accesses_++];
  range.alone = a.alone;
  if (!a.met) return;
  const bool is_first = own_.begin == own_.end;
  own_ = {is_first ? range.lowest : std::min(own_.begin, range.lowest), std::max(own_.end, range.highest)};
}

void InteriorRange::keep(const AffineAccess& a) {
  if (a.bytes == 0) return;
  sound_ = sound_ && kept_ < most_kept && resolve(a, 0, &keep_[kept_]);
  if (!sound_) return;
  const Range& range = keep_[kept_++];
  if (a.met) meet_[met_++] = {range.low, range.high};
}

void InteriorRange::fit(const AffineAccess& a, std::int64_t bits) {
  if (bits == 0) return;
  const auto first = static_cast<std::int64_t>(a.first);
  AffineAccess number = a;
  number.bytes = 0;
  Range range;
  sound_ = sound_ && first > -most_bytes && first < most_bytes && extend(number, a.by, &range);
  const std::int64_t longest = std::min<std::int64_t>(bits < 0 ? -bits : bits - 1, 62);
  const std::int64_t end = std::int64_t{1} << longest;
  sound_ = sound_ && range.lowest >= (bits < 0 ? 0 : -end) && range.highest <= end - 1;
}

// Either they never meet, or what both touch in one round ends before what they touch in the next begins.
bool InteriorRange::are_independent(const Range& a, const Range& b) const {
  if (a.highest <= b.lowest || b.highest <= a.lowest || rounds_ == 1) return true;
  if (a.by != b.by) return false;
  const std::int64_t width = std::max(a.high, b.high) - std::min(a.low, b.low);
  return width <= (a.by < 0 ? -a.by : a.by);
}

bool InteriorRange::is_written_beside(std::size_t index) const {
  const Range& a = access_[index];
  for (std::size_t i = 0; i < accesses_; ++i) {
    const Range& b = access_[i];
    if (i != index && b.writes && b.lowest < a.highest && a.lowest < b.highest) return true;
  }
  return false;
}

Rounds InteriorRange::touching(const Range& a, const Range& kept) const {
  if (a.highest <= kept.low || kept.high <= a.lowest) return {};
  if (a.by == 0) return {0, rounds_};
  // Round n touches it if n * by lies between these two, both excluded.
  const std::int64_t above = kept.low - a.high, below = kept.high - a.low;
  if (a.by > 0) return {floor_of(above, a.by) + 1, ceiling_of(below, a.by)};
  return {floor_of(-below, -a.by) + 1, ceiling_of(-above, -a.by)};
}

Rounds InteriorRange::find() const {
  if (!sound_) return {};
  for (std::size_t i = 0; i < accesses_; ++i) {
    if (access_[i].alone && is_written_beside(i)) return {};
    for (std::size_t j = i; j < accesses_; ++j) {
      const bool matters = access_[i].writes || access_[j].writes;
      if (matters && !are_independent(access_[i], access_[j])) return {};
    }
  }
  Rounds free{0, rounds_};
  for (std::size_t i = 0; i < accesses_; ++i) {
    for (std::size_t k = 0; k < kept_; ++k) {
      if (!access_[i].writes && !keep_[k].writes) continue;
      const Rounds touched = touching(access_[i], keep_[k]);
      if (touched.empty() || touched.end <= free.begin || free.end <= touched.begin) continue;
      const Rounds before{free.begin, std::max(free.begin, touched.begin)};
      const Rounds behind{std::min(free.end, touched.end), free.end};
      free = before.end - before.begin >= behind.end - behind.begin ? before : behind;
    }
  }
  // Of a round that is left before them it is not known what it comes upon.
  if (free.begin > 0 && own_.begin != own_.end) return {};
  return free.empty() ? Rounds{} : free;
}

// Those that lie closest together become one.
std::array<Addresses, 3> InteriorRange::avoided() const {
  std::array<Addresses, most_kept> all = meet_;
  auto end = all.begin() + static_cast<std::ptrdiff_t>(met_);
  std::sort(all.begin(), end, [](const Addresses& a, const Addresses& b) { return a.begin < b.begin; });
  while (end - all.begin() > 2) {
    auto closest = all.begin();
    for (auto one = all.begin(); one + 1 != end; ++one)
      if (one[1].begin - one->end < closest[1].begin - closest->end) closest = one;
    closest->end = std::max(closest->end, closest[1].end);
    end = std::copy(closest + 2, end, closest + 1);
  }
  return {met_ > 0 ? all[0] : Addresses{}, met_ > 1 ? all[1] : Addresses{}, own_};
}

}  // namespace lapwing::transfer
