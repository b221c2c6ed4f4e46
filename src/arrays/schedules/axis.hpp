// SPDX-License-Identifier: Apache-2.0
// One dimension of a section of a distributed array, seen from the section: its
// indices 0 ... count - 1 fall into runs, each owned by one coordinate of the
// process grid. Everything here costs a few divisions, never a walk.
#pragma once

#include <cstdint>

#include "arrays/schedules/distribution.hpp"
#include "arrays/schedules/section.hpp"

namespace lapwing::arrays {

class Axis {
 public:
  Axis(const Dimension& dimension, int processes, const SectionDimension& section);

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] int processes() const { return processes_; }

  [[nodiscard]] int owner(std::int64_t i) const;
  /// The end of the run that i is in, at most count().
  [[nodiscard]] std::int64_t run_end(std::int64_t i) const;
  /// The first index from i on that a coordinate owns; count() where it owns none.
  [[nodiscard]] std::int64_t next(std::int64_t i, int coordinate) const;
  /// Among its owner's elements of the whole dimension. Within a run one index
  /// more is step() more here.
  [[nodiscard]] std::int64_t local(std::int64_t i) const;
  [[nodiscard]] std::int64_t step() const { return step_; }

  /// Owners repeat after so many indices, and places after so many are
  /// local_period() further. At least count() where nothing repeats.
  [[nodiscard]] std::int64_t period() const { return period_; }
  [[nodiscard]] std::int64_t local_period() const { return local_period_; }

  /// One coordinate owns everything, in one run.
  [[nodiscard]] bool single() const { return kind_ == Kind::single; }
  /// Distributed by index lists: only count() and processes() are known, and each coordinate counts as an
  /// owner.
  [[nodiscard]] bool listed() const { return kind_ == Kind::listed; }
  /// Each coordinate has one run of run_length() in each period, or none; the
  /// first and the last of the section may be cut.
  [[nodiscard]] bool uniform() const { return kind_ == Kind::uniform; }
  [[nodiscard]] std::int64_t run_length() const { return run_length_; }
  /// About so many runs, of all coordinates, are in so many indices.
  [[nodiscard]] std::int64_t runs_in(std::int64_t indices) const { return indices / run_length_ + 1; }
  /// How many of its runs one coordinate has in so many indices, about.
  [[nodiscard]] std::int64_t own_runs_in(std::int64_t indices) const;

 private:
  enum class Kind : std::uint8_t { single, uniform, general, irregular, listed };

  void set_cyclic();
  [[nodiscard]] std::int64_t cell(std::int64_t i) const { return origin_ + i * stride_; }

  Dimension dimension_;
  int processes_;
  Kind kind_ = Kind::general;
  std::int64_t count_, stride_;
  std::int64_t origin_;  ///< the template cell of index 0
  std::int64_t step_;
  std::int64_t period_;
  std::int64_t local_period_ = 0;
  std::int64_t run_length_ = 1;
  std::int64_t single_local_ = 0;
  int single_owner_ = 0;
};

}  // namespace lapwing::arrays
