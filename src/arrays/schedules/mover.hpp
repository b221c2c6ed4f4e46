// SPDX-License-Identifier: Apache-2.0
// Moves elements between two sides that hold the same piece in the same order:
// local memory, described by a piece, or the dense wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays/schedules/places.hpp"
#include "arrays/schedules/schedule.hpp"

namespace lapwing::arrays {

class Mover {
 public:
  /// Null: that side is dense. Both pieces are the same, seen from either side;
  /// elements have so many bytes on both sides.
  Mover(const Piece* source, const Piece* destination, std::int64_t element);

  /// Moves elements [from, from + count); dense sides begin at element `from`.
  void move(const std::byte* source, std::byte* destination, std::int64_t from, std::int64_t count) const;

  /// Bytes that lie one after the other on both sides.
  struct Run {
    std::int64_t from, to, bytes;
  };
  /// The whole piece; empty if it has more runs than that, or rather moves otherwise.
  [[nodiscard]] std::vector<Run> all_runs(std::size_t most) const;

  /// Elements [from, from + count) in runs of at least `least` bytes on average;
  /// empty if they are shorter or move otherwise, or are more than `most`. A dense
  /// side begins at element `from`.
  [[nodiscard]] std::vector<Run> long_runs(std::int64_t from, std::int64_t count, std::int64_t least,
                                           std::size_t most) const;

  /// Whether it moves in runs of so many bytes on average.
  [[nodiscard]] bool moves_runs_of(std::int64_t least) const {
    return panel_ == 0 && average_ * element_ >= least;
  }

  /// Both sides hold all of it in one run each.
  [[nodiscard]] bool one_run() const { return dimensions_.empty(); }
  /// Elements from the beginning of the allocation to the first one, if so.
  [[nodiscard]] std::int64_t source_base() const { return base_[0]; }

 private:
  enum class Manner : std::uint8_t { run, runs, rows, transposed };
  struct Dimension {
    Row side[2];  ///< set is null where the side is dense
    std::int64_t elements = 1;
  };
  class Odometer;

  void fold();
  void choose();
  /// Elements [from, from + count) of one row: by runs.
  void move_runs(const std::byte* source, std::byte* destination, std::int64_t from,
                 std::int64_t count) const;
  /// Whole rows, or part of one: columns [first, first + width) elements.
  void move_block(const std::byte* source, std::byte* destination, const std::int64_t* from_rows,
                  const std::int64_t* to_rows, std::int64_t height, std::int64_t first, std::int64_t width,
                  std::int64_t atom) const;
  void move_part(const std::byte* source, std::byte* destination, std::int64_t from, std::int64_t first,
                 std::int64_t width, std::int64_t atom) const;

  void move_panels(const std::byte* source, std::byte* destination, std::int64_t from,
                   std::int64_t count) const;
  /// Whole rows of one panel that arrived: `height` of them, from `row` on.
  void unpack_panel(const std::byte* source, std::byte* destination, std::int64_t row, std::int64_t height,
                    std::int64_t first, std::int64_t width) const;
  /// Columns [first, first + count) of one row; dense sides begin at column 0.
  void move_span(const std::byte* source, std::byte* destination, std::int64_t first,
                 std::int64_t count) const;
  /// Those of a part of a row, from the row's beginning.
  [[nodiscard]] std::vector<Run> runs(std::int64_t first, std::int64_t count) const;

  const Piece* piece_[2];
  std::int64_t element_;
  std::vector<Dimension> dimensions_;
  std::int64_t base_[2] = {0, 0};  ///< elements; 0 for a dense side
  std::int64_t unit_ = 1;
  std::int64_t row_ = 1;      ///< elements of the last dimension, folded ones included
  std::int64_t atom_ = 1;     ///< elements
  std::int64_t average_ = 0;  ///< elements of a run; 0: not moved by runs
  std::int64_t panel_ = 0;    ///< elements; 0: none
  Manner manner_ = Manner::run;
  bool stream_ = false;  ///< the destination is larger than caches
};

}  // namespace lapwing::arrays
