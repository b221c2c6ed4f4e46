// SPDX-License-Identifier: Apache-2.0
// Inner dimensions that are whole and contiguous on both sides fold into one
// unit; the last one that does not is the row. A row is moved by its runs where
// these are long, else by tables of offsets of its atoms: one load more per
// atom, but no branch that depends on the distribution. Where the receiver's
// memory runs the other way, rows are moved together, by tiles.
#include "arrays/schedules/mover.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "arrays/schedules/kernels.hpp"
#include "arrays/schedules/odometer.hpp"

namespace lapwing::arrays {

namespace {
constexpr std::int64_t long_run = 64;       // bytes: above, memcpy is faster than tables
constexpr std::int64_t rows_at_once = 512;  // of a block
constexpr std::int64_t window = 1024;       // atoms of a row whose places are not kept
constexpr std::int64_t runs_at_once = 4096;
constexpr std::int64_t long_stream = 1024;       // bytes: below, lines that are written by halves cost more
constexpr std::int64_t beyond_caches = 8 << 20;  // bytes
}  // namespace

Mover::Mover(const Piece* source, const Piece* destination, std::int64_t element)
    : piece_{source, destination}, element_(element) {
  const Piece& any = source != nullptr ? *source : *destination;
  for (int side = 0; side < 2; ++side) base_[side] = piece_[side] == nullptr ? 0 : piece_[side]->base;
  dimensions_.reserve(any.dimensions.size());
  for (std::size_t d = 0; d < any.dimensions.size(); ++d) {
    Dimension next;
    next.elements = any.dimensions[d].set->elements();
    for (int side = 0; side < 2; ++side) {
      if (piece_[side] == nullptr) continue;
      const PieceDimension& dimension = piece_[side]->dimensions[d];
      next.side[side] = {dimension.places.get(), dimension.stride, 1, element};
      if (next.elements == 1) base_[side] += SegmentWalk(*dimension.places, 0).local() * dimension.stride;
    }
    if (next.elements > 1) dimensions_.push_back(next);
  }
  if (destination != nullptr) stream_ = destination->part_bytes >= beyond_caches;
  const std::size_t all = any.dimensions.size();
  if (any.panel > 0 && any.dimensions[all - 1].set->elements() > 1 &&
      any.dimensions[all - 2].set->elements() > 1) {
    if (source != nullptr && destination != nullptr) {
      // No caller sees the order: rows are the elements that are near each other at the source.
      std::swap(dimensions_[dimensions_.size() - 1], dimensions_[dimensions_.size() - 2]);
    } else {
      panel_ = any.panel;
    }
  }
  if (panel_ == 0) fold();
  choose();
}

void Mover::fold() {
  while (!dimensions_.empty()) {
    const Dimension& last = dimensions_.back();
    for (int side = 0; side < 2; ++side) {
      if (piece_[side] == nullptr) continue;
      const Row& row = last.side[side];
      const Segments* only = row.set->only();
      if (only == nullptr || only->count != 1 || row.set->step() * row.stride != unit_) return;
    }
    for (int side = 0; side < 2; ++side) {
      if (piece_[side] != nullptr) base_[side] += last.side[side].set->only()->local * last.side[side].stride;
    }
    unit_ *= last.elements;
    dimensions_.pop_back();
  }
}

void Mover::choose() {
  row_ = unit_;
  if (dimensions_.empty()) {
    average_ = row_;
    return;
  }
  Dimension& last = dimensions_.back();
  row_ = last.elements * unit_;
  std::int64_t common = 0, average = row_;
  for (int side = 0; side < 2; ++side) {
    if (piece_[side] == nullptr) continue;
    last.side[side].unit = unit_;
    common = std::gcd(common, last.side[side].common_run());
    average = std::min(average, last.side[side].average_run());
  }
  if (average * element_ >= long_run) {
    manner_ = Manner::runs;
    average_ = average;
    stream_ = stream_ && average * element_ >= long_stream;
    return;
  }
  while (common % (2 * atom_) == 0 && 2 * atom_ * element_ <= largest_atom) atom_ *= 2;
  if (!kernel_atom(element_)) {
    manner_ = Manner::runs;
    return;
  }
  manner_ = Manner::rows;
  if (panel_ == 0 && dimensions_.size() >= 2 && piece_[0] != nullptr) {
    const auto pace = [](const Row& row) { return std::abs(row.set->step() * row.stride); };
    if (pace(dimensions_[dimensions_.size() - 2].side[0]) < pace(last.side[0])) manner_ = Manner::transposed;
  }
}

void Mover::move(const std::byte* source, std::byte* destination, std::int64_t from,
                 std::int64_t count) const {
  if (count <= 0) return;
  // Dense sides count from the beginning of the piece from here on.
  if (piece_[0] == nullptr) source -= from * element_;
  if (piece_[1] == nullptr) destination -= from * element_;
  if (panel_ > 0) return move_panels(source, destination, from, count);
  if (manner_ == Manner::run) {
    copy_run(destination + (base_[1] + from) * element_, source + (base_[0] + from) * element_,
             count * element_, stream_);
    if (stream_) end_streaming();
    return;
  }
  if (manner_ == Manner::runs) return move_runs(source, destination, from, count);
  // Parts of atoms, parts of rows, whole rows, and the like at the end.
  while (count > 0) {
    const std::int64_t first = from % row_, left = std::min(count, row_ - first);
    std::int64_t moved = 0;
    if (first % atom_ != 0 || left < atom_) {
      moved = std::min(left, atom_ - first % atom_);
      move_part(source, destination, from, first, moved, 1);
    } else if (first != 0 || left < row_) {
      moved = left / atom_ * atom_;
      move_part(source, destination, from, first, moved, atom_);
    } else {
      const std::int64_t height = std::min(count / row_, rows_at_once);
      std::array<std::int64_t, rows_at_once> places[2];
      Odometer at(*this, from / row_);
      for (std::int64_t y = 0; y < height; ++y, at.next()) {
        const auto k = static_cast<std::size_t>(y);
        for (std::size_t side = 0; side < 2; ++side)
          places[side][k] =
              piece_[side] == nullptr ? (from + y * row_) * element_ : at.offset(static_cast<int>(side));
      }
      moved = height * row_;
      move_block(source, destination, places[0].data(), places[1].data(), height, 0, row_, atom_);
    }
    from += moved;
    count -= moved;
  }
  if (stream_) end_streaming();
}

void Mover::move_part(const std::byte* source, std::byte* destination, std::int64_t from, std::int64_t first,
                      std::int64_t width, std::int64_t atom) const {
  const Odometer at(*this, from / row_);
  std::int64_t places[2];
  for (int side = 0; side < 2; ++side)
    places[side] = piece_[side] == nullptr ? (from - first) * element_ : at.offset(side);
  move_block(source, destination, places, places + 1, 1, first, width, atom);
}

void Mover::move_block(const std::byte* source, std::byte* destination, const std::int64_t* from_rows,
                       const std::int64_t* to_rows, std::int64_t height, std::int64_t first,
                       std::int64_t width, std::int64_t atom) const {
  const Row* rows = dimensions_.back().side;
  const bool transposed = manner_ == Manner::transposed && height > 1;
  const std::int64_t atom_bytes = atom * element_;
  const auto move_atoms = [&](const Columns& out, const Columns& in, std::int64_t atoms) {
    const BlockSide from{from_rows, out.offsets, out.pace, out.listed},
        to{to_rows, in.offsets, in.pace, in.listed};
    const std::byte* a = source + out.first;
    std::byte* b = destination + in.first;
    if (transposed)
      move_transposed(atom_bytes, a, from, b, to, height, atoms, stream_);
    else
      move_rows(atom_bytes, a, from, b, to, height, atoms);
  };
  Columns columns[2];
  bool known = atom == atom_ && width >= row_ / 4;
  for (int side = 0; side < 2 && known; ++side) {
    columns[side] = {nullptr, first * element_, atom_bytes};
    if (piece_[side] == nullptr) continue;
    const std::int64_t* kept = kept_places(rows[side], atom);
    known = kept != nullptr;
    if (known) columns[side] = {kept + first / atom};
  }
  if (known) return move_atoms(columns[0], columns[1], width / atom);
  std::array<std::int64_t, window> places[2];
  for (std::int64_t done = 0; done < width;) {
    std::int64_t atoms = std::min(window, (width - done) / atom);
    for (int side = 0; side < 2; ++side) {
      columns[side] = {nullptr, (first + done) * element_, atom_bytes, nullptr, atoms};
      if (piece_[side] == nullptr) continue;
      columns[side] = {};
      // Tiles look at neighbours, in tables.
      if (!transposed) columns[side] = columns_at(rows[side], atom, first + done, atoms);
      if (columns[side].count > 0) atoms = columns[side].count;
    }
    for (std::size_t side = 0; side < 2; ++side) {
      const Columns &here = columns[side], &other = columns[1 - side];
      const bool beside = other.count > 0 && (other.listed != nullptr || other.pace == atom_bytes);
      if (here.count > 0 && (here.listed == nullptr || beside)) continue;
      list_places(rows[side], atom, first + done, atoms, places[side].data());
      columns[side] = {places[side].data()};
    }
    move_atoms(columns[0], columns[1], atoms);
    done += atoms * atom;
  }
}

std::vector<Mover::Run> Mover::runs(std::int64_t first, std::int64_t count) const {
  const Row* rows = dimensions_.back().side;
  std::vector<Run> result;
  const auto walk = [&](auto out, auto in) {
    while (count > 0) {
      const std::int64_t length = std::min({count, out.length(), in.length()});
      result.push_back({out.offset(), in.offset(), length * element_});
      out.advance(length);
      in.advance(length);
      count -= length;
    }
  };
  struct Dense {
    std::int64_t at, element;
    [[nodiscard]] std::int64_t length() const { return INT64_MAX; }
    [[nodiscard]] std::int64_t offset() const { return at; }
    void advance(std::int64_t elements) { at += elements * element; }
  };
  const Dense dense{first * element_, element_};
  if (piece_[0] == nullptr) {
    walk(dense, RunWalk(rows[1], first));
  } else if (piece_[1] == nullptr) {
    walk(RunWalk(rows[0], first), dense);
  } else {
    walk(RunWalk(rows[0], first), RunWalk(rows[1], first));
  }
  return result;
}

std::vector<Mover::Run> Mover::all_runs(std::size_t most) const {
  if (panel_ > 0 || stream_) return {};
  if (manner_ == Manner::run) return {{base_[0] * element_, base_[1] * element_, row_ * element_}};
  std::int64_t rows = 1;
  for (const Dimension& dimension : dimensions_) rows *= dimension.elements;
  rows /= dimensions_.back().elements;
  if (rows > static_cast<std::int64_t>(most)) return {};
  const std::vector<Run> row = runs(0, row_);
  if (row.size() * static_cast<std::size_t>(rows) > most) return {};
  std::vector<Run> result;
  Odometer at(*this, 0);
  for (std::int64_t y = 0; y < rows; ++y, at.next()) {
    const std::int64_t dense = y * row_ * element_;
    const std::int64_t from = piece_[0] == nullptr ? dense : at.offset(0);
    const std::int64_t to = piece_[1] == nullptr ? dense : at.offset(1);
    for (const Run& run : row) result.push_back({from + run.from, to + run.to, run.bytes});
  }
  return result;
}

std::vector<Mover::Run> Mover::long_runs(std::int64_t from, std::int64_t count, std::int64_t least,
                                         std::size_t most) const {
  if (!moves_runs_of(least)) return {};
  const std::int64_t dense = from * element_;
  const auto relative = [&](Run run) {
    if (piece_[0] == nullptr) run.from -= dense;
    if (piece_[1] == nullptr) run.to -= dense;
    return run;
  };
  if (manner_ == Manner::run)
    return {relative({(base_[0] + from) * element_, (base_[1] + from) * element_, count * element_})};
  std::vector<Run> result;
  Odometer at(*this, from / row_);
  while (count > 0) {
    const std::int64_t first = from % row_, moved = std::min(count, row_ - first);
    const std::int64_t row_begin = (from - first) * element_;
    const std::int64_t a = piece_[0] == nullptr ? row_begin : at.offset(0);
    const std::int64_t b = piece_[1] == nullptr ? row_begin : at.offset(1);
    for (const Run& run : runs(first, moved)) {
      if (result.size() == most) return {};
      result.push_back(relative({a + run.from, b + run.to, run.bytes}));
    }
    from += moved;
    count -= moved;
    at.next();
  }
  return result;
}

void Mover::move_runs(const std::byte* source, std::byte* destination, std::int64_t from,
                      std::int64_t count) const {
  // A long row in parts, so that the list stays short.
  std::int64_t segments = 1;
  for (const Row& row : dimensions_.back().side)
    segments += row.set == nullptr ? 0 : row.joined() ? row.set->segments() : row.set->elements();
  const std::int64_t part = std::max(unit_, row_ / (segments / runs_at_once + 1));
  std::vector<Run> list;
  std::int64_t listed_first = -1, listed = 0;
  Odometer at(*this, from / row_);
  while (count > 0) {
    const std::int64_t first = from % row_;
    const std::int64_t moved = std::min({count, row_ - first, part - first % part});
    if (first != listed_first || moved != listed) {
      list = runs(first, moved);
      listed_first = first;
      listed = moved;
    }
    const std::int64_t row_begin = (from - first) * element_;
    const std::byte* a = source + (piece_[0] == nullptr ? row_begin : at.offset(0));
    std::byte* b = destination + (piece_[1] == nullptr ? row_begin : at.offset(1));
    for (const Run& run : list) copy_run(b + run.to, a + run.from, run.bytes, stream_);
    from += moved;
    count -= moved;
    if (from % row_ == 0) at.next();
  }
  if (stream_) end_streaming();
}

}  // namespace lapwing::arrays
