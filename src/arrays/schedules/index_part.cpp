// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/index_part.hpp"

#include <algorithm>
#include <limits>

#include "arrays/schedules/folder.hpp"

namespace lapwing::arrays {

Indices indices_in(const IndexPart& part, std::int64_t low, std::int64_t high, std::int64_t step) {
  if (!part.listed) return {clipped(part.families, low, high, step), {}};
  Indices result;
  const auto& indices = part.listed->indices;
  const auto begin = indices.begin();
  const auto entry = [&](std::int64_t index) {
    return static_cast<std::size_t>(std::lower_bound(begin + static_cast<std::ptrdiff_t>(part.from),
                                                     begin + static_cast<std::ptrdiff_t>(part.to),
                                                     index + part.shift,
                                                     [](std::uint32_t a, std::int64_t b) { return a < b; }) -
                                    begin);
  };
  ChunkBits bits;
  std::array<ChunkOffset, most_offsets> offsets;
  const std::size_t end = entry(high);
  for (std::size_t k = entry(low); k < end;) {
    const std::int64_t number = part.index(k) / chunk_size, first = number * chunk_size + part.shift,
                       stop = first + chunk_size;
    if (k + most_offsets >= end || indices[k + most_offsets] >= stop) {
      std::size_t count = 0;
      for (; k < end && indices[k] < stop; ++k)
        offsets[count++] = static_cast<ChunkOffset>(indices[k] - first);
      write_chunk(result.chunks, number, std::span(offsets).first(count));
      continue;
    }
    bits.clear();
    // A word at a time: to set bits one by one would wait for memory each time.
    std::size_t word = 0;
    std::uint64_t gathered = 0;
    for (; k < end && indices[k] < stop; ++k) {
      const auto offset = static_cast<std::size_t>(indices[k] - first);
      if (offset / 64 != word) {
        bits[word] = gathered;
        word = offset / 64;
        gathered = 0;
      }
      gathered |= std::uint64_t{1} << offset % 64;
    }
    bits[word] = gathered;
    write_chunk(result.chunks, number, bits);
  }
  return result;
}

bool PlacesInChunk::fits(const IndexPart& part, std::int64_t step) {
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  if (!part.families.empty() && end_of(part.families.back()) > most) return false;
  return std::all_of(part.families.begin(), part.families.end(), [&](const Segments& family) {
    const std::int64_t across = (family.count - 1) * family.local_stride, along = (family.length - 1) * step;
    const auto [low, high] = std::minmax(
        {family.local, family.local + across, family.local + along, family.local + across + along});
    return low >= 0 && high <= most;
  });
}

void PlacesInChunk::read(std::int64_t number) {
  const std::int64_t low = number * chunk_size, high = low + chunk_size;
  if (part_->listed) {
    const std::uint32_t* indices = part_->listed->indices.data();
    const std::int64_t first = low + part_->shift, stop = high + part_->shift;
    if (at_ < part_->to && indices[at_] < first)
      at_ = static_cast<std::size_t>(std::partition_point(indices + at_, indices + part_->to,
                                                          [&](std::uint32_t i) { return i < first; }) -
                                     indices);
    if (part_->listed->places.empty()) {
      for (; at_ < part_->to && indices[at_] < stop; ++at_)
        places_[static_cast<std::size_t>(indices[at_] - first)] = static_cast<std::uint32_t>(at_);
    } else {
      for (; at_ < part_->to && indices[at_] < stop; ++at_)
        places_[static_cast<std::size_t>(indices[at_] - first)] = part_->listed->places[at_];
    }
    return;
  }
  const std::vector<Segments>& families = part_->families;
  while (family_ < families.size() && end_of(families[family_]) <= low) ++family_;
  for (std::size_t f = family_; f < families.size() && families[f].first < high; ++f) {
    const Segments& family = families[f];
    for (std::int64_t k = segment_behind(family, low); k < family.count; ++k) {
      const std::int64_t first = family.first + k * family.stride;
      if (first >= high) break;
      const std::int64_t begin = std::max(first, low), end = std::min(first + family.length, high);
      std::int64_t place = family.local + k * family.local_stride + (begin - first) * step_;
      for (std::int64_t i = begin; i < end; ++i, place += step_)
        places_[static_cast<std::size_t>(i - low)] = static_cast<std::uint32_t>(place);
    }
  }
}

}  // namespace lapwing::arrays
