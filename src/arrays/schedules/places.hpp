// SPDX-License-Identifier: Apache-2.0
// Where the elements of a row lie, as byte offsets or as runs.
#pragma once

#include <cstdint>
#include <vector>

#include "arrays/schedules/falls.hpp"

namespace lapwing::arrays {

/// A dimension as one side sees it: each of its indices stands for `unit`
/// contiguous elements, which inner dimensions were folded into.
struct Row {
  const IndexSet* set = nullptr;
  std::int64_t stride = 1;  ///< elements from one place to the next
  std::int64_t unit = 1;
  std::int64_t element = 1;  ///< bytes

  [[nodiscard]] std::int64_t elements() const { return set->elements() * unit; }
  /// Neighbouring indices are neighbours in memory.
  [[nodiscard]] bool joined() const { return set->step() * stride == unit; }
  /// The greatest number of elements that divides every contiguous run.
  [[nodiscard]] std::int64_t common_run() const;
  /// Elements in an average run.
  [[nodiscard]] std::int64_t average_run() const { return joined() ? elements() / set->segments() : unit; }
};

/// Walks a row run by run: contiguous elements, as many as lie together.
class RunWalk {
 public:
  RunWalk(const Row& row, std::int64_t element);
  [[nodiscard]] std::int64_t offset() const;  ///< in bytes
  [[nodiscard]] std::int64_t length() const;  ///< elements left in this run
  void advance(std::int64_t elements);        ///< at most length()

 private:
  const Row* row_;
  bool joined_;
  std::int64_t within_;  ///< elements of the present unit that are behind
  SegmentWalk at_;
};

/// Byte offsets of `count` atoms of `atom` elements, from element `from` of the
/// row on; atoms divide the row's runs, and `from`.
void list_places(const Row& row, std::int64_t atom, std::int64_t from, std::int64_t count,
                 std::int64_t* offsets);

/// Where atoms are: in bytes, from `first` on; without offsets `pace` apart, or, if there is a list,
/// listed[x] * pace.
struct Columns {
  const std::int64_t* offsets = nullptr;
  std::int64_t first = 0, pace = 0;
  const std::uint32_t* listed = nullptr;
  std::int64_t count = 0;  ///< of atoms, at most as many as were asked for
};
/// The places of `count` atoms, or fewer, by a rule or a list of the set's; nothing, of count 0, where there
/// is none. Then list_places() has them.
Columns columns_at(const Row& row, std::int64_t atom, std::int64_t from, std::int64_t count);

/// The offsets of a whole row, kept by this thread for the rows used last; null
/// where a row is too long to be kept. Valid until the second call from now.
const std::int64_t* kept_places(const Row& row, std::int64_t atom);

}  // namespace lapwing::arrays
