// SPDX-License-Identifier: Apache-2.0
#include "arrays/transfers/landed.hpp"

#include <algorithm>

namespace lapwing::arrays {
namespace {

// Of the set's elements, those whose index in the section is less than `end`, or up to the next mark.
std::int64_t count_below(const IndexSet& set, std::int64_t end) {
  std::int64_t count = 0;
  for (const Falls& falls : set.members()) {
    if (!falls.marks.empty()) {  // as many as may be
      const auto marked = std::lower_bound(falls.marks.begin(), falls.marks.end(), end) - falls.marks.begin();
      count += std::min(falls.elements, marked * static_cast<std::int64_t>(Falls::mark_every));
      continue;
    }
    for (std::int64_t repetition = 0; repetition < falls.count; ++repetition) {
      const std::int64_t from = falls.first + repetition * falls.stride;
      if (from >= end) break;
      for (const Segments& family : falls.inner) {
        const std::int64_t room = end - from - family.first;
        if (room <= 0) continue;
        if (family.count == 1 || family.stride <= 0) {
          count += std::min(room, family.length) * family.count;
          continue;
        }
        const std::int64_t full = std::min(family.count, room / family.stride);
        count += full * family.length;
        if (full < family.count) count += std::min(room - full * family.stride, family.length);
      }
    }
  }
  return count;
}

// The section's indices that lie in the box, as one range.
std::pair<std::int64_t, std::int64_t> range_in(const SectionDimension& section, std::int64_t first,
                                               std::int64_t count) {
  std::int64_t low = first - section.first, high = first + count - 1 - section.first;
  if (section.stride < 0) {
    std::swap(low, high);
    low = -low;
    high = -high;
  }
  const std::int64_t step = std::abs(section.stride);
  const std::int64_t begin = low <= 0 ? 0 : (low + step - 1) / step;
  const std::int64_t end = high < 0 ? 0 : high / step + 1;
  return {begin, std::min(end, section.count)};
}

}  // namespace

std::int64_t elements_before(const Piece& piece, const View& receiver, const std::int64_t* first,
                             const std::int64_t* count) {
  const Section section = filled(receiver.section, receiver.distribution);
  auto slowest = std::find_if(piece.dimensions.begin(), piece.dimensions.end(),
                              [](const PieceDimension& d) { return d.set->elements() > 1; });
  std::int64_t needed = piece.elements;
  // In panels the last dimension is the slowest one, so many elements at a time.
  const bool panels =
      piece.panel > 0 && piece.dimensions.size() >= 2 && piece.dimensions.end() - slowest <= 2;
  if (panels) slowest = piece.dimensions.end() - 1;
  auto whole = [&](std::int64_t count) {
    if (!panels) return count;
    return std::min((count + piece.panel - 1) / piece.panel * piece.panel, slowest->set->elements());
  };
  for (std::size_t d = 0; d < section.dimensions.size(); ++d) {
    const auto [begin, end] = range_in(section.dimensions[d], first[d], count[d]);
    if (begin >= end) return 0;
    const int source = section.permutation.empty() ? static_cast<int>(d) : section.permutation[d];
    if (slowest != piece.dimensions.end() && source >= 0 && slowest->source_dimension == source)
      needed = piece.elements / slowest->set->elements() * whole(count_below(*slowest->set, end));
  }
  return needed;
}

}  // namespace lapwing::arrays
