// SPDX-License-Identifier: Apache-2.0
#include "transfer/compiled/interior_range.hpp"

#include <algorithm>

#include "transfer/compiled/meetings.hpp"

namespace lapwing::transfer {
namespace {

// No program has more: numbers beyond are those of loops that do not run, for which they mean nothing. Below
// them no sum here overflows.
constexpr std::int64_t most_rounds = std::int64_t{1} << 40;
constexpr std::int64_t most_bytes = std::int64_t{1} << 47;

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

std::int64_t edges_of(const AffineAccess::Step& step) { return static_cast<std::int64_t>(step.back_edges); }

// The loops inside that are not divided.
void add_inner(const AffineAccess& a, std::size_t divided, Meetings* meetings) {
  for (std::size_t step = divided - 1; step < a.steps.size(); ++step)
    if (a.steps[step].by != 0) meetings->add({a.steps[step].by, 0, edges_of(a.steps[step])});
}

}  // namespace

void InteriorRange::begin(std::uint64_t back_edges) {
  accesses_ = kept_ = met_ = loops_ = 0;
  own_ = {};
  rounds_.fill(1);
  sound_ = true;
  inside(back_edges);
}

void InteriorRange::inside(std::uint64_t back_edges) {
  sound_ = sound_ && loops_ < most_divided_loops && back_edges < static_cast<std::uint64_t>(most_rounds);
  if (sound_) rounds_[loops_++] = static_cast<std::int64_t>(back_edges) + 1;
}

bool InteriorRange::resolve(const AffineAccess& a, std::int64_t by, Range* range) const {
  if (a.first >= static_cast<std::uintptr_t>(most_bytes) || a.bytes >= static_cast<std::uint64_t>(most_bytes))
    return false;
  return extend(a, by, range);
}

bool InteriorRange::extend(const AffineAccess& a, std::int64_t by, Range* range) const {
  range->access = a;
  range->access.by = by;
  range->low = static_cast<std::int64_t>(a.first);
  range->high = range->low + static_cast<std::int64_t>(a.bytes);
  for (const AffineAccess::Step& step : a.steps) {
    std::int64_t distance = 0;
    if (!travel(step.by, step.back_edges, &distance)) return false;
    (distance < 0 ? range->low : range->high) += distance;
  }
  std::int64_t distance = 0;
  if (!travel(by, static_cast<std::uint64_t>(rounds_[0] - 1), &distance)) return false;
  range->lowest = range->low + std::min<std::int64_t>(distance, 0);
  range->highest = range->high + std::max<std::int64_t>(distance, 0);
  return true;
}

void InteriorRange::access(const AffineAccess& a) {
  sound_ = sound_ && accesses_ < most && resolve(a, a.by, &access_[accesses_]);
  if (!sound_) return;
  sound_ = !a.alone || !a.writes || comes_nowhere_twice(a);
  const Range& range = access_[accesses_++];
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

// Whether two rounds may run in either order: either the accesses meet in no two rounds, or each with the
// other in the same round only.
bool InteriorRange::are_independent(const Range& a, const Range& b, std::size_t divided) const {
  if (a.highest <= b.lowest || b.highest <= a.lowest) return true;
  Meetings meetings(a.first() - b.first(), -a.bytes(), b.bytes());
  bool move_alike = true;
  for (std::size_t loop = 0; loop < divided; ++loop) {
    const std::int64_t last = rounds_[loop] - 1;
    const bool alike = a.by(loop) == b.by(loop);
    meetings.add({a.by(loop), alike ? -last : 0, last});
    move_alike = move_alike && (alike || last == 0);
  }
  for (std::size_t loop = 0; loop < divided; ++loop)
    if (a.by(loop) != b.by(loop)) meetings.add({-b.by(loop), 0, rounds_[loop] - 1});
  const std::size_t inner = meetings.count();
  add_inner(a.access, divided, &meetings);
  for (std::size_t step = divided - 1; step < b.access.steps.size(); ++step)
    meetings.add_against(b.access.steps[step].by, edges_of(b.access.steps[step]), inner);
  if (!meetings.find()) return true;
  for (std::size_t loop = 0; move_alike && loop < divided; ++loop) {
    const Meetings::Turns met = meetings.found(loop);
    move_alike = met.low == 0 && met.high == 0;
  }
  return move_alike;
}

bool InteriorRange::are_independent(std::size_t divided) const {
  for (std::size_t i = 0; i < accesses_; ++i) {
    for (std::size_t j = i; j < accesses_; ++j) {
      const bool matters = access_[i].access.writes || access_[j].access.writes;
      if (matters && !are_independent(access_[i], access_[j], divided)) return false;
    }
  }
  return true;
}

bool InteriorRange::is_written_beside(std::size_t index) const {
  const Range& a = access_[index];
  for (std::size_t i = 0; i < accesses_; ++i) {
    const Range& b = access_[i];
    if (i != index && b.access.writes && b.lowest < a.highest && a.lowest < b.highest) return true;
  }
  return false;
}

// Makes the box smaller by the fewest rounds, so that this access meets this memory in none that is left.
// False where nothing is left.
bool InteriorRange::leave_out(const Range& a, const Range& kept, std::size_t divided, Box* box) const {
  if (a.highest <= kept.low || kept.high <= a.lowest) return true;
  Meetings meetings(a.first() - kept.first(), -a.bytes(), kept.bytes());
  for (std::size_t loop = 0; loop < divided; ++loop)
    meetings.add({a.by(loop), (*box)[loop].begin, (*box)[loop].end - 1});
  add_inner(a.access, divided, &meetings);
  for (const AffineAccess::Step& step : kept.access.steps) meetings.add_against(step.by, edges_of(step), 0);
  if (!meetings.find()) return true;
  Rounds* shortened = nullptr;
  Rounds best;
  double most_left = 0;
  for (std::size_t loop = 0; loop < divided; ++loop) {
    Rounds& side = (*box)[loop];
    const Meetings::Turns met = meetings.found(loop);
    const auto all = static_cast<double>(side.end - side.begin);
    for (const Rounds& part : {Rounds{side.begin, met.low}, Rounds{met.high + 1, side.end}}) {
      const double left = static_cast<double>(part.end - part.begin) / all;
      if (left <= most_left) continue;
      most_left = left, best = part, shortened = &side;
    }
  }
  if (!shortened) return false;
  *shortened = best;
  return true;
}

Box InteriorRange::find() const {
  if (!sound_) return {};
  for (std::size_t i = 0; i < accesses_; ++i)
    if (access_[i].access.alone && is_written_beside(i)) return {};
  std::size_t divided = loops_;
  while (divided > 0 && !are_independent(divided)) --divided;
  if (divided == 0) return {};
  Box box{};
  for (std::size_t loop = 0; loop < most_divided_loops; ++loop) box[loop] = {0, rounds_[loop]};
  for (std::size_t i = 0; i < accesses_; ++i) {
    for (std::size_t k = 0; k < kept_; ++k) {
      const bool matters = access_[i].access.writes || keep_[k].access.writes;
      if (matters && !leave_out(access_[i], keep_[k], divided, &box)) return {};
    }
  }
  // Of a round that is left before them it is not known what it comes upon.
  if (box[0].begin > 0 && own_.begin != own_.end) return {};
  return box;
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
