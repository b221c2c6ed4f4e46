// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/index_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lapwing::arrays {

namespace {

// A family takes as much memory as so many indices.
constexpr std::size_t words_of_family = sizeof(Segments) / sizeof(std::int64_t);

/// Where `index` lies, by families that do not interleave; -1 where it is in none.
std::int64_t place_in(const std::vector<Segments>& families, std::int64_t index) {
  const auto above = std::upper_bound(families.begin(), families.end(), index,
                                      [](std::int64_t i, const Segments& s) { return i < s.first; });
  if (above == families.begin()) return -1;
  const Segments& family = *(above - 1);
  const std::int64_t behind = index - family.first;
  const std::int64_t segment = family.count > 1 ? std::min(behind / family.stride, family.count - 1) : 0;
  const std::int64_t within = behind - segment * family.stride;
  return within < family.length ? family.local + segment * family.local_stride + within : -1;
}

}  // namespace

IndexList::IndexList(std::span<const std::int64_t> indices, std::int64_t extent, std::string* problem) {
  bool ascending = true;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const std::int64_t index = indices[k];
    if (index < 0 || index >= extent) {
      *problem = fmt::format("position {} of the index list is {}, but the dimension has the indices 0 to {}",
                             k, index, extent - 1);
      if (index < 0)
        *problem = fmt::format("position {} of the index list is {}, which is negative", k, index);
      if (extent == 0)
        *problem = fmt::format("position {} of the index list is {}, but the extent is 0", k, index);
      return;
    }
    ascending = ascending && (k == 0 || indices[k - 1] < index);
  }
  Folder by_index, by_position;
  if (ascending) {
    for (std::size_t k = 0; k < indices.size(); ++k)
      by_index.add(indices[k], 1, static_cast<std::int64_t>(k));
  } else {
    std::vector<std::pair<std::int64_t, std::int64_t>> sorted;
    sorted.reserve(indices.size());
    for (std::size_t k = 0; k < indices.size(); ++k)
      sorted.emplace_back(indices[k], static_cast<std::int64_t>(k));
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      if (k > 0 && sorted[k].first == sorted[k - 1].first) {
        *problem = fmt::format("positions {} and {} of the index list are both {}", sorted[k - 1].second,
                               sorted[k].second, sorted[k].first);
        return;
      }
      by_index.add(sorted[k].first, 1, sorted[k].second);
    }
  }
  count_ = static_cast<std::int64_t>(indices.size());
  families_ = by_index.take();
  for (std::size_t k = 0; k < indices.size(); ++k)
    by_position.add(static_cast<std::int64_t>(k), 1, indices[k]);
  positions_ = by_position.take();
  if (positions_.size() * words_of_family > indices.size()) {
    positions_ = {};
    indices_.assign(indices.begin(), indices.end());
  }
  families_.shrink_to_fit();
}

std::int64_t IndexList::position(std::int64_t index) const { return place_in(families_, index); }

std::int64_t IndexList::index(std::int64_t position) const {
  return indices_.empty() ? place_in(positions_, position) : indices_[static_cast<std::size_t>(position)];
}

std::uint64_t IndexList::hash() const {
  std::uint64_t hash = static_cast<std::uint64_t>(count_) + 1469598103934665603U;
  for (const Segments& family : families_)
    for (const std::int64_t word :
         {family.first, family.length, family.stride, family.count, family.local, family.local_stride})
      hash = (hash ^ static_cast<std::uint64_t>(word)) * 1099511628211U;
  return hash;
}

std::vector<Segments> IndexList::in_section(const SectionDimension& section) const {
  const std::int64_t first = section.first, count = section.count, stride = section.stride;
  if (count == 0) return {};
  if (stride == 1) {
    std::vector<Segments> result = clipped(families_, first, first + count, 1);
    for (Segments& family : result) family.first -= first;
    return result;
  }
  // Element by element: neighbours in the section are none in the list.
  Folder result;
  const std::int64_t size = stride < 0 ? -stride : stride;
  const auto take = [&](std::int64_t begin, std::int64_t length, std::int64_t local) {
    const std::int64_t last = begin + length - 1;
    const std::int64_t nearest = stride > 0 ? begin - first : first - last;
    const std::int64_t farthest = stride > 0 ? last - first : first - begin;
    if (farthest < 0) return;
    const std::int64_t from = nearest <= 0 ? 0 : (nearest + size - 1) / size;
    const std::int64_t to = std::min(farthest / size, count - 1);
    for (std::int64_t i = from; i <= to; ++i) result.add(i, 1, local + first + i * stride - begin);
  };
  if (stride > 0) {
    each_segment(families_, take);
  } else {
    for (auto family = families_.rbegin(); family != families_.rend(); ++family)
      for (std::int64_t k = family->count; k-- > 0;)
        take(family->first + k * family->stride, family->length, family->local + k * family->local_stride);
  }
  return result.take();
}

Dimension indexed(std::shared_ptr<const IndexLists> lists, int grid_dimension) {
  Dimension result;
  result.extent = lists ? lists->extent : 0;
  result.layout = Layout::indexed;
  result.grid_dimension = grid_dimension;
  result.lists = std::move(lists);
  return result;
}

bool has_lists(const Distribution& distribution) {
  return std::any_of(distribution.dimensions.begin(), distribution.dimensions.end(),
                     [](const Dimension& dimension) { return dimension.layout == Layout::indexed; });
}

std::string cannot_send(const Distribution& distribution) {
  for (std::size_t d = 0; d < distribution.dimensions.size(); ++d) {
    const IndexLists* lists = distribution.dimensions[d].lists.get();
    if (lists == nullptr) continue;
    if (lists->repeated >= 0)
      return fmt::format(
          "index {} of dimension {} is in the lists of ranks {} and {}; lists of an array that is sent hold "
          "each "
          "index once (those of a receiver may overlap)",
          lists->repeated, d, lists->first_rank, lists->second_rank);
    if (lists->missing >= 0)
      return fmt::format(
          "index {} of dimension {} is in no list; lists of an array that is sent hold every index (those of "
          "a "
          "receiver need not)",
          lists->missing, d);
  }
  return {};
}

std::string wrong_lists(const Distribution& distribution, int rank) {
  const int position = distribution.grid.position_of(rank);
  if (position < 0) return {};
  const std::vector<int> coordinates = distribution.grid.coordinates(position);
  for (std::size_t d = 0; d < distribution.dimensions.size(); ++d) {
    const Dimension& dimension = distribution.dimensions[d];
    if (!dimension.lists) continue;
    const int here = coordinates[static_cast<std::size_t>(dimension.grid_dimension)];
    if (dimension.lists->coordinate == here) continue;
    const std::string had = dimension.lists->coordinate < 0
                                ? std::string("no place")
                                : fmt::format("place {}", dimension.lists->coordinate);
    return fmt::format(
        "dimension {} is at place {} of grid dimension {}, but the grid that its index lists were made for "
        "has {} "
        "for this process",
        d, here, dimension.grid_dimension, had);
  }
  return {};
}

}  // namespace lapwing::arrays
