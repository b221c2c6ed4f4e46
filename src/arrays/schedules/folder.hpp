// SPDX-License-Identifier: Apache-2.0
// Segments, listed one by one, become few families: what follows at the same distance joins the family before
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "arrays/schedules/falls.hpp"

namespace lapwing::arrays {

/// Takes segments in ascending order of their indices. From one index of a segment to the next, places are
/// `step` apart; segments that go on in both become one.
class Folder {
 public:
  explicit Folder(std::int64_t step = 1) : step_(step) {}
  void add(std::int64_t first, std::int64_t length, std::int64_t local);
  void add(const Segments& family);
  /// So many so far, at least.
  [[nodiscard]] std::size_t families() const { return families_.size(); }
  /// The families, which no two interleave: each ends before the next begins.
  std::vector<Segments> take();

 private:
  void flush();

  std::int64_t step_;
  Segments open_{0, 0, 0, 1, 0, 0, 0};  ///< may still grow
  std::vector<Segments> families_;
};

/// Visits (first, length, local) of each segment, in ascending order.
template <class Visit>
void each_segment(const std::vector<Segments>& families, Visit visit) {
  for (const Segments& family : families)
    for (std::int64_t k = 0; k < family.count; ++k)
      visit(family.first + k * family.stride, family.length, family.local + k * family.local_stride);
}

/// The part of the families in [low, high); they do not interleave.
std::vector<Segments> clipped(const std::vector<Segments>& families, std::int64_t low, std::int64_t high,
                              std::int64_t step);

/// A set of these families. Where their segments repeat after some, as those of cyclic distributions do, only
/// one period is kept.
IndexSet periodic_set(std::vector<Segments> families, std::int64_t step);

}  // namespace lapwing::arrays
