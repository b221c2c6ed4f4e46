// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/sorting.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

namespace lapwing::arrays {

namespace {

// Windows have 2^14 indices, whose positions fit into the cache, or more where there would be too many
// windows.
constexpr int narrow_window = 14, most_windows = 12;
// Of fewer indices than one in so many, comparing is faster than looking at all places of the window.
constexpr std::size_t sparse_window = 64;

/// The index above, its position below.
using IndexEntry = std::uint64_t;

class WindowSort {
 public:
  explicit WindowSort(int bits) : width_(std::size_t{1} << bits) {}

  /// The entries of a window, appended in order.
  void append(IndexEntry* first, IndexEntry* last, ListedIndices& out) {
    const auto count = static_cast<std::size_t>(last - first);
    if (count * sparse_window < width_ || !by_table(first, last, out)) {
      std::sort(first, last);
      for (; first < last; ++first) {
        out.indices.push_back(static_cast<std::uint32_t>(*first >> 32));
        out.places.push_back(static_cast<std::uint32_t>(*first));
      }
    }
  }

 private:
  /// Appends nothing where an index comes twice.
  bool by_table(const IndexEntry* first, const IndexEntry* last, ListedIndices& out) {
    if (positions_.empty()) {
      positions_.resize(width_);
      present_.resize(width_ / 64);
    }
    const auto low = static_cast<std::uint32_t>(*first >> 32) & ~static_cast<std::uint32_t>(width_ - 1);
    const auto count = static_cast<std::size_t>(last - first);
    for (; first < last; ++first) {
      const std::size_t at = static_cast<std::uint32_t>(*first >> 32) - low;
      positions_[at] = static_cast<std::uint32_t>(*first);
      present_[at / 64] |= std::uint64_t{1} << at % 64;
    }
    const std::size_t before = out.indices.size();
    for (std::size_t w = 0; w < present_.size(); ++w)
      for (std::uint64_t rest = std::exchange(present_[w], 0); rest != 0; rest &= rest - 1) {
        const std::size_t at = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        out.indices.push_back(low + static_cast<std::uint32_t>(at));
        out.places.push_back(positions_[at]);
      }
    if (out.indices.size() - before == count) return true;
    out.indices.resize(before);
    out.places.resize(before);
    return false;
  }

  std::size_t width_;
  std::vector<std::uint32_t> positions_;
  std::vector<std::uint64_t> present_;
};

}  // namespace

ListedIndices sorted_with_positions(std::span<const std::int64_t> indices) {
  ListedIndices result;
  if (indices.empty()) return result;
  const auto largest = static_cast<std::uint64_t>(*std::max_element(indices.begin(), indices.end()));
  const int bits = std::max(narrow_window, static_cast<int>(std::bit_width(largest)) - most_windows);
  std::vector<std::size_t> ends((largest >> bits) + 2, 0);
  for (const std::int64_t index : indices) ++ends[(static_cast<std::uint64_t>(index) >> bits) + 1];
  for (std::size_t k = 1; k < ends.size(); ++k) ends[k] += ends[k - 1];
  // Each window's end moves from its beginning as it fills.
  const std::unique_ptr<IndexEntry[]> entries(new IndexEntry[indices.size()]);
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const auto index = static_cast<std::uint64_t>(indices[k]);
    entries[ends[index >> bits]++] = index << 32 | k;
  }
  result.indices.reserve(indices.size());
  result.places.reserve(indices.size());
  WindowSort windows(bits);
  std::size_t begin = 0;
  for (std::size_t w = 0; w + 1 < ends.size(); begin = ends[w++])
    if (begin < ends[w]) windows.append(entries.get() + begin, entries.get() + ends[w], result);
  return result;
}

}  // namespace lapwing::arrays
