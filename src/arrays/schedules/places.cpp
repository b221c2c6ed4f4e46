// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/places.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace lapwing::arrays {

std::int64_t Row::common_run() const { return joined() ? set->common_length() * unit : unit; }

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

namespace {

// Rows whose indices are single elements: by lists and families, not segment by segment.
void list_single(const Row& row, std::int64_t atom, std::int64_t from, std::int64_t count,
                 std::int64_t* offsets) {
  const std::int64_t scale = row.stride * row.element;
  const std::int64_t step = row.joined() ? atom * row.element : row.set->step() * scale;
  for (SegmentWalk at(*row.set, from); count > 0;) {
    const SegmentWalk::Ahead ahead = at.ahead();
    if (ahead.listed != nullptr) {
      const std::int64_t now = std::min(count, ahead.elements / atom), base = ahead.base * scale;
      for (std::int64_t k = 0; k < now; ++k) offsets[k] = base + ahead.listed[k * atom] * scale;
      at.skip_listed(now * atom);
      offsets += now;
      count -= now;
      continue;
    }
    const std::int64_t each = at.length() / atom, first = at.local() * scale;
    const std::int64_t whole = std::min(ahead.segments, count / each);
    if (whole == 0) {
      for (std::int64_t k = 0; k < count; ++k) offsets[k] = first + k * step;
      return;
    }
    const std::int64_t further = ahead.local_stride * scale;
    if (each == 1) {
      for (std::int64_t s = 0; s < whole; ++s) offsets[s] = first + s * further;
    } else {
      for (std::int64_t s = 0; s < whole; ++s)
        for (std::int64_t k = 0; k < each; ++k) offsets[s * each + k] = first + s * further + k * step;
    }
    at.skip_segments(whole);
    offsets += whole * each;
    count -= whole * each;
  }
}

}  // namespace

void list_places(const Row& row, std::int64_t atom, std::int64_t from, std::int64_t count,
                 std::int64_t* offsets) {
  const std::int64_t atom_bytes = atom * row.element;
  if (row.unit == 1) return list_single(row, atom, from, count, offsets);
  for (RunWalk at(row, from); count > 0;) {
    const std::int64_t length = std::min(count, at.length() / atom);
    const std::int64_t first = at.offset();
    for (std::int64_t k = 0; k < length; ++k) offsets[k] = first + k * atom_bytes;
    offsets += length;
    count -= length;
    at.advance(length * atom);
  }
}

Columns columns_at(const Row& row, std::int64_t atom, std::int64_t from, std::int64_t count) {
  const std::int64_t atom_bytes = atom * row.element;
  if (row.unit > 1) {
    const RunWalk at(row, from);
    if (at.length() >= count * atom) return {nullptr, at.offset(), atom_bytes, nullptr, count};
    return {};
  }
  const SegmentWalk at(*row.set, from);
  const std::int64_t scale = row.stride * row.element, first = at.local() * scale;
  if (at.length() >= count * atom)
    return {nullptr, first, row.joined() ? atom_bytes : row.set->step() * scale, nullptr, count};
  const SegmentWalk::Ahead ahead = at.ahead();
  if (ahead.listed != nullptr && atom == 1)
    return {nullptr, ahead.base * scale, scale, ahead.listed, std::min(count, ahead.elements)};
  if (ahead.listed == nullptr && at.length() == atom && ahead.segments >= count)
    return {nullptr, first, ahead.local_stride * scale, nullptr, count};
  return {};
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
  // On the heap: an engine that a process loads late finds little room for variables of threads, and leaves
  // little to the libraries that are loaded after it.
  thread_local std::unique_ptr<std::array<Kept, 8>> all;
  thread_local std::size_t turn = 0, last = 0;
  if (!all) all = std::make_unique<std::array<Kept, 8>>();
  std::array<Kept, 8>& kept = *all;
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
