// SPDX-License-Identifier: Apache-2.0
// Pieces whose last two dimensions are transposed, to and from the wire. A panel
// is a block: all of the last dimension but one, times some of the last.
#include <algorithm>
#include <array>

#include "arrays/schedules/kernels.hpp"
#include "arrays/schedules/mover.hpp"
#include "arrays/schedules/odometer.hpp"

namespace lapwing::arrays {

void Mover::move_panels(const std::byte* source, std::byte* destination, std::int64_t from,
                        std::int64_t count) const {
  const std::int64_t rows = dimensions_[dimensions_.size() - 2].elements, plane = rows * row_;
  const bool packs = piece_[0] != nullptr;
  while (count > 0) {
    const std::int64_t before = from / plane * rows;  // rows of earlier planes
    const std::int64_t panel = from % plane / (rows * panel_), first = panel * panel_;
    const std::int64_t width = std::min(panel_, row_ - first);
    const std::int64_t inside = from % plane - first * rows;
    const std::int64_t row = inside / width, skip = inside % width;
    if (!packs && skip == 0 && count >= width && kernel_atom(element_)) {
      const std::int64_t height = std::min(rows - row, count / width);
      unpack_panel(source + from * element_, destination, before + row, height, first, width);
      from += height * width;
      count -= height * width;
      continue;
    }
    Odometer at(*this, before + row);
    std::int64_t column = skip;
    for (std::int64_t y = row; y < rows && count > 0; ++y, at.next()) {
      const std::int64_t moved = std::min(count, width - column);
      const std::int64_t dense = (from - first - column) * element_;
      move_span(source + (packs ? at.offset(0) : dense), destination + (packs ? dense : at.offset(1)),
                first + column, moved);
      from += moved;
      count -= moved;
      column = 0;
      if (!packs) break;
    }
  }
  if (stream_) end_streaming();
}

void Mover::unpack_panel(const std::byte* source, std::byte* destination, std::int64_t row,
                         std::int64_t height, std::int64_t first, std::int64_t width) const {
  constexpr std::int64_t at_once = 512;
  const Row& across = dimensions_.back().side[1];
  std::array<std::int64_t, at_once> near[2], far[2];
  for (std::int64_t x = 0; x < height; x += at_once) {
    const std::int64_t wide = std::min(height - x, at_once);
    Odometer at(*this, row + x);
    for (std::int64_t k = 0; k < wide; ++k, at.next()) {
      near[0][static_cast<std::size_t>(k)] = (x + k) * width * element_;
      near[1][static_cast<std::size_t>(k)] = at.offset(1);
    }
    for (std::int64_t y = 0; y < width; y += at_once) {
      const std::int64_t tall = std::min(width - y, at_once);
      list_places(across, 1, first + y, tall, far[1].data());
      for (std::int64_t k = 0; k < tall; ++k) far[0][static_cast<std::size_t>(k)] = (y + k) * element_;
      move_transposed(element_, source, {far[0].data(), near[0].data()}, destination,
                      {far[1].data(), near[1].data()}, tall, wide, stream_);
    }
  }
}

void Mover::move_span(const std::byte* source, std::byte* destination, std::int64_t first,
                      std::int64_t count) const {
  const bool packs = piece_[0] != nullptr;
  const Row& row = dimensions_.back().side[packs ? 0 : 1];
  const std::byte* dense_source = source + first * element_;
  std::byte* dense_destination = destination + first * element_;
  if (manner_ == Manner::runs) {
    for (RunWalk run(row, first); count > 0;) {
      const std::int64_t length = std::min(count, run.length());
      if (packs) {
        copy_run(dense_destination, source + run.offset(), length * element_, false);
      } else {
        copy_run(destination + run.offset(), dense_source, length * element_, stream_);
      }
      dense_source += length * element_;
      dense_destination += length * element_;
      run.advance(length);
      count -= length;
    }
    return;
  }
  constexpr std::int64_t at_once = 512;
  std::array<std::int64_t, at_once> places;
  const std::int64_t none = 0;
  for (std::int64_t k = 0; k < count; k += at_once) {
    const std::int64_t now = std::min(count - k, at_once);
    list_places(row, 1, first + k, now, places.data());
    if (packs) {
      move_rows(element_, source, {&none, places.data()}, dense_destination + k * element_, {&none, nullptr},
                1, now);
    } else {
      move_rows(element_, dense_source + k * element_, {&none, nullptr}, destination, {&none, places.data()},
                1, now);
    }
  }
}

}  // namespace lapwing::arrays
