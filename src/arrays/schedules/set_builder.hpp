// SPDX-License-Identifier: Apache-2.0
// The set of the elements that a process shares with another one, which are found one by one: few as
// families, many as one period and its repetitions where they have one, else as a list of places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "arrays/schedules/falls.hpp"

namespace lapwing::arrays {

class SetBuilder {
 public:
  /// From one index of a run to the next, places are `step` apart. `count` elements are to come.
  SetBuilder(std::int64_t step, std::int64_t count) : step_(step) {
    places_.reserve(static_cast<std::size_t>(count));
  }
  /// The next ones, in ascending order of indices.
  void add(const std::uint32_t* indices, const std::uint32_t* places, std::size_t count);
  IndexSet take();

 private:
  /// Elements that are looked at for a period, which comes at least twice in them.
  static constexpr std::size_t window = 2048;

  /// Elements that lie in longer runs, on average, are families of runs.
  static constexpr std::size_t long_run = 16;

  void look();
  void check();
  [[nodiscard]] std::vector<Segments> families(std::size_t from, std::size_t to) const;
  [[nodiscard]] IndexSet periodic() const;

  std::int64_t step_;
  std::vector<std::uint32_t> indices_, places_;
  std::vector<std::int64_t> marks_;
  bool looked_ = false, listed_ = false;  ///< there is no period, and indices are not kept
  std::size_t head_ = 0, period_ = 0, checked_ = 0;
};

}  // namespace lapwing::arrays
