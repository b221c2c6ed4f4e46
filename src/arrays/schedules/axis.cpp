// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/axis.hpp"

#include <algorithm>
#include <numeric>

#include "arrays/schedules/local.hpp"

namespace lapwing::arrays {

namespace {

__int128 ceiling(__int128 a, __int128 b) { return (a + b - 1) / b; }

/// The least x >= 0 with low <= a x mod m <= high, where 0 < low <= high < m;
/// -1 where there is none. Euclid's algorithm on a and m.
__int128 first_within(__int128 a, __int128 m, __int128 low, __int128 high) {
  if (low == 0) return 0;
  if (a == 0) return -1;
  if (2 * a > m) {  // a x mod m falls instead of rising
    a = m - a;
    std::swap(low, high);
    low = m - low;
    high = m - high;
  }
  const __int128 straight = ceiling(low, a);
  if (straight * a <= high) return straight;
  // a x = m y + something within: so m y mod a lies just below a multiple of a.
  const __int128 y = first_within(m % a, a, (a - high % a) % a, (a - low % a) % a);
  return y < 0 ? -1 : ceiling(low + m * y, a);
}

}  // namespace

Axis::Axis(const Dimension& dimension, int processes, const SectionDimension& section)
    : dimension_(dimension),
      processes_(processes),
      count_(section.count),
      stride_(section.stride),
      origin_(section.first + dimension.offset),
      step_(section.stride),
      period_(std::max<std::int64_t>(1, section.count)) {
  if (count_ == 0) {
    kind_ = Kind::single;
    single_owner_ = -1;
    return;
  }
  if (dimension_.layout == Layout::indexed) {
    kind_ = Kind::listed;
    return;
  }
  if (dimension_.layout == Layout::irregular) {
    kind_ = Kind::irregular;
    run_length_ = std::max<std::int64_t>(1, count_ / processes_);
  } else if (dimension_.layout == Layout::cyclic) {
    set_cyclic();
  }
  const Place place_of_first = place(dimension_, processes_, origin_ - dimension_.offset);
  if (dimension_.layout == Layout::collapsed || processes_ == 1 || run_end(0) >= count_) kind_ = Kind::single;
  if (kind_ == Kind::single) {
    single_owner_ = place_of_first.coordinate;
    single_local_ = place_of_first.local;
    period_ = run_length_ = count_;
  }
}

void Axis::set_cyclic() {
  const std::int64_t size = stride_ < 0 ? -stride_ : stride_;
  const std::int64_t whole = dimension_.block * processes_;
  period_ = whole / std::gcd(whole, size);
  // period * stride is a multiple of whole: so many rounds of the template.
  const auto rounds = static_cast<std::int64_t>(static_cast<__int128>(period_) * stride_ / whole);
  local_period_ = rounds * dimension_.block;
  run_length_ = std::max<std::int64_t>(1, dimension_.block / size);
  if (period_ == 1) {  // the stride leads from each element to the same process
    kind_ = Kind::single;
    step_ = local_period_;
  } else if (dimension_.block % size == 0 || size % dimension_.block == 0) {
    kind_ = Kind::uniform;
  }
}

int Axis::owner(std::int64_t i) const {
  if (kind_ == Kind::single) return single_owner_;
  if (kind_ == Kind::irregular) return place(dimension_, processes_, cell(i) - dimension_.offset).coordinate;
  return static_cast<int>((cell(i) / dimension_.block + dimension_.first_process) % processes_);
}

std::int64_t Axis::run_end(std::int64_t i) const {
  if (kind_ == Kind::single) return count_;
  const std::int64_t t = cell(i);
  std::int64_t low = 0, high = 0;  // the cells of the block around t
  if (kind_ == Kind::irregular) {
    const auto above = std::upper_bound(dimension_.bounds.begin(), dimension_.bounds.end(), t);
    low = *(above - 1);
    high = *above;
  } else {
    low = t / dimension_.block * dimension_.block;
    high = low + dimension_.block;
  }
  const std::int64_t steps = stride_ > 0 ? (high - 1 - t) / stride_ : (t - low) / -stride_;
  return std::min(count_, i + steps + 1);
}

std::int64_t Axis::next(std::int64_t i, int coordinate) const {
  if (i >= count_) return count_;
  if (kind_ == Kind::listed) return i;
  if (kind_ == Kind::single) return coordinate == single_owner_ ? i : count_;
  const std::int64_t t = cell(i);
  const std::int64_t block = (coordinate - dimension_.first_process + processes_) % processes_;
  if (kind_ == Kind::irregular) {
    const std::int64_t low = dimension_.bounds[static_cast<std::size_t>(block)];
    const std::int64_t high = dimension_.bounds[static_cast<std::size_t>(block) + 1];
    // The first step that takes t into [low, high), if any does.
    std::int64_t steps = 0;
    if (stride_ > 0 && t < low) steps = (low - t + stride_ - 1) / stride_;
    if (stride_ < 0 && t >= high) steps = (t - high) / -stride_ + 1;
    if (steps >= count_ - i) return count_;
    const std::int64_t there = t + steps * stride_;
    return there >= low && there < high ? i + steps : count_;
  }
  const std::int64_t whole = dimension_.block * processes_;
  const std::int64_t ahead = ((block * dimension_.block - t) % whole + whole) % whole;
  if (ahead == 0 || ahead > whole - dimension_.block) return i;  // t is in one of its blocks
  const std::int64_t last = ahead + dimension_.block - 1;
  std::int64_t steps = 0;
  if (stride_ == 1) {
    steps = ahead;
  } else if (stride_ == -1) {
    steps = whole - last;
  } else {
    const __int128 found = first_within((stride_ % whole + whole) % whole, whole, ahead, last);
    if (found < 0 || found >= count_ - i) return count_;
    steps = static_cast<std::int64_t>(found);
  }
  return steps >= count_ - i ? count_ : i + steps;
}

std::int64_t Axis::local(std::int64_t i) const {
  if (kind_ == Kind::single) return single_local_ + i * step_;
  return place(dimension_, processes_, cell(i) - dimension_.offset).local;
}

std::int64_t Axis::own_runs_in(std::int64_t indices) const {
  if (kind_ == Kind::single || kind_ == Kind::irregular) return 1;
  return kind_ == Kind::uniform ? indices / period_ + 1 : runs_in(indices) / processes_ + 1;
}

}  // namespace lapwing::arrays
