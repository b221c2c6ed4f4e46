// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/file_rounds.hpp"

#include <algorithm>

#include "arrays/schedules/local.hpp"

namespace lapwing::arrays {

FileRounds::FileRounds(const Distribution& array, const Section& section, int processes,
                       std::int64_t most_bytes, std::int64_t least_bytes)
    : array_(array), section_(filled(section, array)), element_(array.element_bytes()) {
  const std::size_t dimensions = section_.dimensions.size();
  for (const SectionDimension& each : section_.dimensions) elements_ *= each.count;
  // Those that access the file are spread over the task: over its nodes.
  const std::int64_t wanted = (bytes() + least_bytes - 1) / least_bytes;
  const int parts = static_cast<int>(std::clamp<std::int64_t>(wanted, 1, processes));
  grid_ = make_grid({parts});
  for (int i = 0; i < parts; ++i)
    grid_.ranks[static_cast<std::size_t>(i)] =
        static_cast<int>(static_cast<std::int64_t>(i) * processes / parts);
  if (elements_ == 0) {
    inner_ = 0;
    return;
  }
  if (dimensions == 0) return;
  row_ = elements_;
  for (cut_ = 0;; ++cut_) {
    const std::int64_t count = section_.dimensions[dimension(cut_)].count;
    row_ /= count;
    const std::int64_t fit = std::max<std::int64_t>(1, most_bytes / (row_ * element_));
    rows_ = std::min(count, fit > count / parts ? count : fit * parts);
    inner_ = (count + rows_ - 1) / rows_;
    if (row_ * element_ <= most_bytes || cut_ + 1 == dimensions) return;
    outer_ *= count;
  }
}

std::size_t FileRounds::dimension(std::size_t k) const {
  return array_.order == Order::row_major ? k : section_.dimensions.size() - 1 - k;
}

FileRound FileRounds::round(std::int64_t number) const {
  FileRound made;
  made.part = section_;
  made.part.permutation.clear();
  made.file.type = array_.type;
  made.file.opaque_bytes = array_.opaque_bytes;
  made.file.order = array_.order;
  made.file.grid = grid_;
  made.file.dimensions.resize(section_.dimensions.size());
  if (section_.dimensions.empty()) {
    made.file.grid = make_grid({1});
    return made;
  }
  const auto take = [&](std::size_t k, std::int64_t first, std::int64_t count) {
    SectionDimension& part = made.part.dimensions[dimension(k)];
    part.first += first * part.stride;
    part.count = count;
    made.file.dimensions[dimension(k)] = collapsed(count);
  };
  const std::int64_t along = number % inner_ * rows_;
  std::int64_t before = number / inner_, size = row_;
  const std::int64_t all = section_.dimensions[dimension(cut_)].count, rows = std::min(rows_, all - along);
  take(cut_, along, rows);
  made.file.dimensions[dimension(cut_)] = block(rows, grid_.extents[0], 0);
  made.first = along * row_;
  size *= all;
  for (std::size_t k = cut_; k-- > 0;) {
    const std::int64_t count = section_.dimensions[dimension(k)].count;
    take(k, before % count, 1);
    made.first += before % count * size;
    before /= count;
    size *= count;
  }
  for (std::size_t k = cut_ + 1; k < section_.dimensions.size(); ++k)
    take(k, 0, section_.dimensions[dimension(k)].count);
  return made;
}

FileRounds::Piece FileRounds::piece(const FileRound& round, int rank) {
  const std::int64_t mine = local_part(round.file, rank).elements;
  // Blocks are equal but for the last ones, and lie in the order of the ranks.
  std::int64_t before = 0;
  for (const int other : round.file.grid.ranks) {
    if (other == rank) break;
    before += local_part(round.file, other).elements;
  }
  return {round.first + before, mine};
}

}  // namespace lapwing::arrays
