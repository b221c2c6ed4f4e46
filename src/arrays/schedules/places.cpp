// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/places.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace lapwing::arrays {

std::int64_t Row::common_run() const {
  if (!joined()) return unit;
  std::int64_t common = 0;
  for (const Falls& falls : set->members()) {
    for (const Segments& family : falls.inner) common = std::gcd(common, family.length);
  }
  return common * unit;
}

RunWalk::RunWalk(const Row& row, std::int64_t element)
    : row_(&row), joined_(row.joined()), within_(element % row.unit), at_(*row.set, element / row.unit) {}

std::int64_t RunWalk::offset() const { return (at_.local() * row_->stride + within_) * row_->element; }

std::int64_t RunWalk::length() const { return (joined_ ? at_.length() * row_->unit : row_->unit) - within_; }

void RunWalk::advance(std::int64_t elements) {
  within_ += elements;
  const std::int64_t indices = within_ / row_->unit;
  within_ %= row_->unit;
  if (indices > 0) at_.advance(indices);
}

void list_places(const Row& row, std::int64_t atom, std::int64_t from, std::int64_t count,
                 std::int64_t* offsets) {
  const std::int64_t atom_bytes = atom * row.element;
  if (row.unit == 1) {  // whole segments at a time
    const std::int64_t step = row.joined() ? atom_bytes : row.set->step() * row.stride * row.element;
    for (SegmentWalk at(*row.set, from); count > 0; at.next()) {
      const std::int64_t length = std::min(count, at.length() / atom);
      const std::int64_t first = at.local() * row.stride * row.element;
      for (std::int64_t k = 0; k < length; ++k) offsets[k] = first + k * step;
      offsets += length;
      count -= length;
    }
    return;
  }
  for (RunWalk at(row, from); count > 0;) {
    const std::int64_t length = std::min(count, at.length() / atom);
    const std::int64_t first = at.offset();
    for (std::int64_t k = 0; k < length; ++k) offsets[k] = first + k * atom_bytes;
    offsets += length;
    count -= length;
    at.advance(length * atom);
  }
}

namespace {

struct Kept {
  std::uint64_t set = 0;
  std::int64_t stride = 0, unit = 0, element = 0, atom = 0;
  std::vector<std::int64_t> offsets;
};

constexpr std::int64_t longest_kept = 16384;

}  // namespace

const std::int64_t* kept_places(const Row& row, std::int64_t atom) {
  thread_local std::array<Kept, 8> kept;
  thread_local std::size_t turn = 0, last = 0;
  const std::int64_t atoms = row.elements() / atom;
  if (atoms > longest_kept) return nullptr;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const Kept& known = kept[k];
    if (known.set == row.set->serial() && known.stride == row.stride && known.unit == row.unit &&
        known.element == row.element && known.atom == atom) {
      last = k;
      return known.offsets.data();
    }
  }
  // Never the one returned last: the caller may use it together with this.
  if (turn == last) turn = (turn + 1) % kept.size();
  last = turn;
  Kept& next = kept[turn];
  turn = (turn + 1) % kept.size();
  next = {row.set->serial(), row.stride, row.unit, row.element, atom, std::move(next.offsets)};
  next.offsets.resize(static_cast<std::size_t>(atoms));
  list_places(row, atom, 0, atoms, next.offsets.data());
  return next.offsets.data();
}

}  // namespace lapwing::arrays
