// SPDX-License-Identifier: Apache-2.0
// The dimensions of a mover outside its rows.
#pragma once

#include <cstdint>
#include <vector>

#include "arrays/schedules/mover.hpp"

namespace lapwing::arrays {

/// Goes from row to row, from any one on.
class Mover::Odometer {
 public:
  Odometer(const Mover& mover, std::int64_t row) : mover_(mover) {
    const auto outer = mover.dimensions_.size() - 1;
    std::vector<std::int64_t> at(outer);
    for (std::size_t d = outer; d-- > 0;) {
      at[d] = row % mover.dimensions_[d].elements;
      row /= mover.dimensions_[d].elements;
    }
    for (int side = 0; side < 2; ++side) {
      if (mover.piece_[side] == nullptr) continue;
      for (std::size_t d = 0; d < outer; ++d)
        walks_[side].emplace_back(*mover.dimensions_[d].side[side].set, at[d]);
      set_outer(side);
    }
  }

  /// Bytes from the beginning of a side that is not dense to the present row.
  [[nodiscard]] std::int64_t offset(int side) const {
    if (walks_[side].empty()) return outer_[side];
    const std::size_t last = walks_[side].size() - 1;
    return outer_[side] +
           walks_[side][last].local() * mover_.dimensions_[last].side[side].stride * mover_.element_;
  }

  void next() {
    for (int side = 0; side < 2; ++side) {
      auto& walks = walks_[side];
      if (walks.empty()) continue;
      std::size_t d = walks.size() - 1;
      walks[d].advance(1);
      if (!walks[d].done()) continue;
      for (;;) {
        walks[d] = SegmentWalk(*mover_.dimensions_[d].side[side].set, 0);
        if (d-- == 0) break;
        walks[d].advance(1);
        if (!walks[d].done()) break;
      }
      set_outer(side);
    }
  }

 private:
  void set_outer(int side) {
    outer_[side] = mover_.base_[side] * mover_.element_;
    for (std::size_t d = 0; d + 1 < walks_[side].size(); ++d)
      outer_[side] += walks_[side][d].local() * mover_.dimensions_[d].side[side].stride * mover_.element_;
  }

  const Mover& mover_;
  std::vector<SegmentWalk> walks_[2];
  std::int64_t outer_[2] = {0, 0};
};

}  // namespace lapwing::arrays
