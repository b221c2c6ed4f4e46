// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/index_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "arrays/schedules/sorting.hpp"

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

std::string outside(std::span<const std::int64_t> indices, std::int64_t extent) {
  const auto found = std::find_if(indices.begin(), indices.end(),
                                  [&](std::int64_t index) { return index < 0 || index >= extent; });
  const auto at = found - indices.begin();
  if (*found < 0) return fmt::format("position {} of the index list is {}, which is negative", at, *found);
  if (extent == 0) return fmt::format("position {} of the index list is {}, but the extent is 0", at, *found);
  return fmt::format("position {} of the index list is {}, but the dimension has the indices 0 to {}", at,
                     *found, extent - 1);
}

// More than this, by the number of indices, and they are kept one by one.
constexpr std::size_t each_family = 16, few_families = 64;
constexpr std::size_t any_families = std::numeric_limits<std::size_t>::max();

std::size_t most_families(std::span<const std::int64_t> indices) {
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  const bool fits = std::ssize(indices) <= most &&
                    std::all_of(indices.begin(), indices.end(), [](std::int64_t i) { return i <= most; });
  return fits ? std::max(few_families, indices.size() / each_family) : any_families;
}

/// The length of the run that begins at k. In an ascending list a run is where both ends are as far apart as
/// their positions are.
std::size_t run_at(std::span<const std::int64_t> indices, std::size_t k) {
  const auto reaches = [&](std::size_t length) {
    return k + length <= indices.size() &&
           indices[k + length - 1] - indices[k] == static_cast<std::int64_t>(length - 1);
  };
  std::size_t known = 1, step = 1;
  while (reaches(known + step)) {
    known += step;
    step *= 2;
  }
  for (; step > 0; step /= 2)
    if (reaches(known + step)) known += step;
  return known;
}

/// The run at k, and the runs behind it that are as long and as far apart.
Segments family_at(std::span<const std::int64_t> indices, std::size_t k) {
  const std::size_t length = run_at(indices, k);
  Segments family{indices[k], static_cast<std::int64_t>(length), 0, 1, static_cast<std::int64_t>(k), 0, 0};
  const auto is_run = [&](std::size_t at) {
    if (at + length > indices.size() || indices[at + length - 1] - indices[at] != family.length - 1)
      return false;
    return at + length == indices.size() || indices[at + length] != indices[at] + family.length;
  };
  const std::size_t next = k + length;
  if (!is_run(next)) return family;
  family.stride = indices[next] - indices[k];
  family.local_stride = family.length;
  for (std::size_t at = next; is_run(at) && indices[at] - indices[at - length] == family.stride; at += length)
    ++family.count;
  return family;
}

std::string given_twice(std::int64_t first, std::int64_t second, std::int64_t index) {
  return fmt::format("positions {} and {} of the index list are both {}", first, second, index);
}

constexpr std::uint64_t hash_prime = 1099511628211U;

/// Four beside each other, as each product waits for the one before.
std::uint64_t hash_of(const std::vector<std::uint32_t>& all, std::uint64_t begin) {
  std::uint64_t a = begin, b = begin + 1, c = begin + 2, d = begin + 3;
  std::size_t k = 0;
  for (; k + 4 <= all.size(); k += 4) {
    a = (a ^ all[k]) * hash_prime;
    b = (b ^ all[k + 1]) * hash_prime;
    c = (c ^ all[k + 2]) * hash_prime;
    d = (d ^ all[k + 3]) * hash_prime;
  }
  for (; k < all.size(); ++k) a = (a ^ all[k]) * hash_prime;
  for (const std::uint64_t lane : {b, c, d}) a = (a ^ lane) * hash_prime;
  return a;
}

/// Those of a section whose indices are `stride` apart, in its order.
ListedIndices every(const ListedIndices& all, const SectionDimension& section) {
  ListedIndices result;
  const auto take = [&](std::size_t k) {
    const std::int64_t ahead = static_cast<std::int64_t>(all.indices[k]) - section.first;
    if (ahead % section.stride != 0) return;
    const std::int64_t i = ahead / section.stride;
    if (i < 0 || i >= section.count) return;
    result.indices.push_back(static_cast<std::uint32_t>(i));
    result.places.push_back(all.place(k));
  };
  for (std::size_t k = 0; k < all.indices.size(); ++k)
    take(section.stride > 0 ? k : all.indices.size() - 1 - k);
  return result;
}

}  // namespace

IndexList::IndexList(std::span<const std::int64_t> indices, std::int64_t extent, std::string* problem) {
  bool inside = true, ascending = true;
  std::int64_t last = -1;
  for (const std::int64_t index : indices) {
    inside = inside && index >= 0 && index < extent;
    ascending = ascending && last < index;
    last = index;
  }
  if (!inside) {
    *problem = outside(indices, extent);
    return;
  }
  if (ascending)
    fold_ascending(indices);
  else
    fold_sorted(indices, problem);
  if (!problem->empty()) return;
  count_ = static_cast<std::int64_t>(indices.size());
  families_.shrink_to_fit();
}

void IndexList::fold_ascending(std::span<const std::int64_t> indices) {
  const std::size_t most = most_families(indices);
  for (std::size_t k = 0; k < indices.size() && families_.size() <= most;) {
    families_.push_back(family_at(indices, k));
    k += static_cast<std::size_t>(families_.back().length * families_.back().count);
  }
  if (families_.size() > most) {
    families_ = {};
    listed_ = std::make_shared<ListedIndices>(ListedIndices{{indices.begin(), indices.end()}, {}});
    return;
  }
  positions_ = families_;
  for (Segments& family : positions_) {
    std::swap(family.first, family.local);
    std::swap(family.stride, family.local_stride);
  }
}

void IndexList::fold_sorted(std::span<const std::int64_t> indices, std::string* problem) {
  const std::size_t most = most_families(indices);
  if (most == any_families) return fold_wide(indices, problem);
  ListedIndices sorted = sorted_with_positions(indices);
  const auto twice = std::adjacent_find(sorted.indices.begin(), sorted.indices.end());
  if (twice != sorted.indices.end()) {
    const auto at = static_cast<std::size_t>(twice - sorted.indices.begin());
    *problem = given_twice(sorted.places[at], sorted.places[at + 1], *twice);
    return;
  }
  Folder by_index;
  for (std::size_t k = 0; k < indices.size() && by_index.families() <= most; ++k)
    by_index.add(sorted.indices[k], 1, sorted.places[k]);
  families_ = by_index.take();
  if (families_.size() <= most) return fold_positions(indices);
  families_ = {};
  listed_ = std::make_shared<ListedIndices>(std::move(sorted));
  given_.assign(indices.begin(), indices.end());
}

/// Indices that 32 bits do not hold are always kept as families.
void IndexList::fold_wide(std::span<const std::int64_t> indices, std::string* problem) {
  std::vector<std::pair<std::int64_t, std::int64_t>> sorted;
  sorted.reserve(indices.size());
  for (std::size_t k = 0; k < indices.size(); ++k)
    sorted.emplace_back(indices[k], static_cast<std::int64_t>(k));
  std::sort(sorted.begin(), sorted.end());
  Folder by_index;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (k > 0 && sorted[k].first == sorted[k - 1].first) {
      *problem = given_twice(sorted[k - 1].second, sorted[k].second, sorted[k].first);
      return;
    }
    by_index.add(sorted[k].first, 1, sorted[k].second);
  }
  families_ = by_index.take();
  fold_positions(indices);
}

void IndexList::fold_positions(std::span<const std::int64_t> indices) {
  Folder by_position;
  std::size_t k = 0;
  for (; k < indices.size() && by_position.families() * words_of_family <= indices.size(); ++k)
    by_position.add(static_cast<std::int64_t>(k), 1, indices[k]);
  positions_ = by_position.take();
  if (k == indices.size() && positions_.size() * words_of_family <= indices.size()) return;
  positions_ = {};
  indices_.assign(indices.begin(), indices.end());
}

std::int64_t IndexList::position(std::int64_t index) const {
  if (!listed_) return place_in(families_, index);
  const auto& all = listed_->indices;
  const auto found = std::lower_bound(all.begin(), all.end(), index);
  if (found == all.end() || *found != index) return -1;
  return listed_->place(static_cast<std::size_t>(found - all.begin()));
}

std::int64_t IndexList::index(std::int64_t position) const {
  if (position < 0 || position >= count_) return -1;
  if (!indices_.empty()) return indices_[static_cast<std::size_t>(position)];
  if (!given_.empty()) return given_[static_cast<std::size_t>(position)];
  if (!positions_.empty()) return place_in(positions_, position);
  return listed_->indices[static_cast<std::size_t>(position)];
}

std::uint64_t IndexList::hash() const {
  std::uint64_t hash = static_cast<std::uint64_t>(count_) + 1469598103934665603U;
  for (const Segments& family : families_)
    for (const std::int64_t word :
         {family.first, family.length, family.stride, family.count, family.local, family.local_stride})
      hash = (hash ^ static_cast<std::uint64_t>(word)) * hash_prime;
  if (!listed_) return hash;
  return hash_of(listed_->places, hash_of(listed_->indices, hash));
}

IndexPart IndexList::in_section(const SectionDimension& section) const {
  const std::int64_t first = section.first, count = section.count, stride = section.stride;
  IndexPart part;
  if (count == 0) return part;
  if (stride == 1 && !listed_) {
    part.families = clipped(families_, first, first + count, 1);
    for (Segments& family : part.families) family.first -= first;
    return part;
  }
  if (stride == 1) {
    const auto entry = [&](std::int64_t index) {
      const auto& all = listed_->indices;
      return static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), index) - all.begin());
    };
    part.listed = listed_;
    part.from = entry(first);
    part.to = entry(first + count);
    part.shift = first;
    return part;
  }
  // Element by element: neighbours in the section are none in the list.
  if (listed_) {
    part.listed = std::make_shared<ListedIndices>(every(*listed_, section));
    part.to = part.listed->indices.size();
    return part;
  }
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
  part.families = result.take();
  return part;
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
