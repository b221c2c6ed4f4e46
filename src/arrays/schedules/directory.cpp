// SPDX-License-Identifier: Apache-2.0
// Two ways: families are met run by run; where runs are short on both sides, or are not told as families,
// chunks of the block are met as bits, so that an element costs a small part of what a run does.
#include "arrays/schedules/directory.hpp"

#include <algorithm>
#include <limits>

namespace lapwing::arrays {

namespace {

using Held = std::map<int, Indices>;

// Runs shorter than this, on average over all of the block, are met as bits.
constexpr std::int64_t short_runs = 16;
// Of more pairs in one chunk each index is looked up.
constexpr std::size_t few_pairs = 16;

struct HeldRun {
  std::int64_t first, end;
  int holder;
};

/// All coordinates' segments in ascending order. Those of one are so already, and are merged.
std::vector<HeldRun> all_runs_of(const Held& held) {
  std::vector<HeldRun> runs;
  std::vector<std::size_t> bounds{0};
  for (const auto& [coordinate, indices] : held) {
    const int holder = coordinate;
    each_segment(indices.families, [&](std::int64_t first, std::int64_t length, std::int64_t) {
      runs.push_back({first, first + length, holder});
    });
    bounds.push_back(runs.size());
  }
  const auto at = [&](std::size_t k) {
    return runs.begin() + static_cast<std::ptrdiff_t>(bounds[std::min(k, bounds.size() - 1)]);
  };
  const auto before = [](const HeldRun& a, const HeldRun& b) {
    return a.first != b.first ? a.first < b.first : a.holder < b.holder;
  };
  for (std::size_t width = 1; width + 1 < bounds.size(); width *= 2)
    for (std::size_t k = 0; k + width < bounds.size() - 1; k += 2 * width)
      std::inplace_merge(at(k), at(k + width), at(k + 2 * width), before);
  return runs;
}

std::int64_t segments_held(const Held& held) {
  std::int64_t result = 0;
  for (const auto& [coordinate, indices] : held) result += segments_of(indices.families);
  return result;
}

bool any_chunks(const Held& held) {
  return std::any_of(held.begin(), held.end(), [](const auto& one) { return !one.second.chunks.empty(); });
}

/// Of the indices that are held, the lowest one and the one behind the highest, as families tell.
std::pair<std::int64_t, std::int64_t> range_of(const Held& held) {
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = 0;
  for (const auto& [coordinate, indices] : held) {
    if (indices.families.empty()) continue;
    low = std::min(low, indices.families.front().first);
    high = std::max(high, end_of(indices.families.back()));
  }
  return {std::min(low, high), high};
}

/// All coordinates of a side, chunk by chunk.
class SideWalk {
 public:
  explicit SideWalk(const Held& held) {
    for (const auto& [coordinate, indices] : held) {
      walks_.emplace_back(indices);
      coordinates_.push_back(coordinate);
    }
    following_.assign(walks_.size(), 0);
    bits_.resize(walks_.size());
  }

  /// The first chunk from `number` on in which one has an index.
  std::int64_t next(std::int64_t number) {
    std::int64_t result = ChunkWalk::none;
    for (std::size_t k = 0; k < walks_.size(); ++k) {
      std::int64_t& following = following_[k];
      if (following == ChunkWalk::none) continue;
      if (following < number || number == 0) following = walks_[k].next(number);
      if (following != ChunkWalk::none && (result == ChunkWalk::none || following < result))
        result = following;
    }
    return result;
  }
  /// After next(): reads the chunk of those who have indices in it.
  void read(std::int64_t number) {
    here_.clear();
    for (std::size_t k = 0; k < walks_.size(); ++k) {
      if (following_[k] != number) continue;
      bits_[k].clear();
      walks_[k].read(number, bits_[k]);
      here_.push_back(k);
    }
  }
  [[nodiscard]] const std::vector<std::size_t>& here() const { return here_; }
  [[nodiscard]] const ChunkBits& bits(std::size_t k) const { return bits_[k]; }
  [[nodiscard]] int coordinate(std::size_t k) const { return coordinates_[k]; }

 private:
  std::vector<ChunkWalk> walks_;
  std::vector<int> coordinates_;
  std::vector<std::int64_t> following_;
  std::vector<ChunkBits> bits_;
  std::vector<std::size_t> here_;
};

}  // namespace

std::int64_t block_begin(std::int64_t count, std::int64_t blocks, std::int64_t number) {
  return static_cast<std::int64_t>(static_cast<__int128>(count) * number / blocks);
}

bool Directory::by_chunks() const {
  if (any_chunks(held_[source]) || any_chunks(held_[destination])) return true;
  const auto [low, high] = range_of(held_[destination]);
  return std::min(segments_held(held_[source]), segments_held(held_[destination])) * short_runs > high - low;
}

void Directory::meet() {
  if (by_chunks())
    meet_chunks();
  else
    meet_families();
  for (const auto& [pair, indices] : shared_) {
    of_[source][pair.first].emplace_back(pair.second, &indices);
    of_[destination][pair.second].emplace_back(pair.first, &indices);
  }
}

void Directory::meet_families() {
  const std::vector<HeldRun> sources = all_runs_of(held_[source]);
  std::map<int, std::size_t> numbers;
  for (const auto& [coordinate, indices] : held_[source]) numbers.emplace(coordinate, numbers.size());
  std::vector<std::size_t> number_of_run;
  number_of_run.reserve(sources.size());
  for (const HeldRun& run : sources) number_of_run.push_back(numbers[run.holder]);
  for (const auto& [coordinate, indices] : held_[destination]) {
    std::vector<Folder> found(numbers.size());
    std::size_t next = 0;
    // Sources do not overlap, so they end in the order in which they begin.
    const auto reach = [&](std::int64_t first) {
      if (next < sources.size() && sources[next].end <= first)
        next = static_cast<std::size_t>(
            std::partition_point(sources.begin() + static_cast<std::ptrdiff_t>(next), sources.end(),
                                 [&](const HeldRun& run) { return run.end <= first; }) -
            sources.begin());
    };
    for (const Segments& family : indices.families) {
      for (std::int64_t k = 0; k < family.count;) {
        const std::int64_t first = family.first + k * family.stride, length = family.length;
        reach(first);
        // As many whole segments as are in one run of a source.
        if (next < sources.size() && sources[next].first <= first && first + length <= sources[next].end) {
          std::int64_t whole = 1;
          if (k + 1 < family.count)
            whole = std::min(family.count - k, (sources[next].end - first - length) / family.stride + 1);
          found[number_of_run[next]].add(
              {first, length, whole > 1 ? family.stride : 0, whole, first, whole > 1 ? family.stride : 0, 0});
          k += whole;
          continue;
        }
        for (std::size_t s = next; s < sources.size() && sources[s].first < first + length; ++s) {
          const std::int64_t from = std::max(first, sources[s].first),
                             to = std::min(first + length, sources[s].end);
          found[number_of_run[s]].add(from, to - from, from);
        }
        ++k;
      }
    }
    for (const auto& [holder, number] : numbers)
      if (std::vector<Segments> list = found[number].take(); !list.empty())
        shared_[{holder, coordinate}].families = std::move(list);
  }
}

void Directory::meet_chunks() {
  SideWalk sources(held_[source]), destinations(held_[destination]);
  constexpr std::uint32_t unowned = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> owners(chunk_size);
  // Of each source, those that one destination takes, and which sources have any.
  std::vector<std::vector<ChunkOffset>> found(held_[source].size());
  std::vector<std::size_t> touched;
  ChunkBits both;
  const auto pair_of = [&](std::size_t s, std::size_t d) -> Words& {
    return shared_[{sources.coordinate(s), destinations.coordinate(d)}].chunks;
  };
  for (std::int64_t number = 0;; ++number) {
    const std::int64_t wanted = destinations.next(number), there = sources.next(number);
    if (wanted == ChunkWalk::none || there == ChunkWalk::none) break;
    number = std::max(wanted, there);
    if (wanted != there) {
      --number;
      continue;
    }
    sources.read(number);
    destinations.read(number);
    if (sources.here().size() * destinations.here().size() <= few_pairs) {
      for (const std::size_t d : destinations.here())
        for (const std::size_t s : sources.here()) {
          bool any = false;
          for (std::size_t w = 0; w < ChunkBits::words; ++w) {
            both[w] = sources.bits(s)[w] & destinations.bits(d)[w];
            any = any || both[w] != 0;
          }
          if (any) write_chunk(pair_of(s, d), number, both);
        }
      continue;
    }
    owners.assign(chunk_size, unowned);
    for (const std::size_t s : sources.here())
      sources.bits(s).each([&](std::size_t i) { owners[i] = static_cast<std::uint32_t>(s); });
    for (const std::size_t d : destinations.here()) {
      destinations.bits(d).each([&](std::size_t i) {
        if (owners[i] == unowned) return;
        std::vector<ChunkOffset>& list = found[owners[i]];
        if (list.empty()) touched.push_back(owners[i]);
        list.push_back(static_cast<ChunkOffset>(i));
      });
      for (const std::size_t s : touched) {
        write_chunk(pair_of(s, d), number, found[s]);
        found[s].clear();
      }
      touched.clear();
    }
  }
}

std::vector<std::pair<int, const Indices*>> Directory::shared(Side side, int coordinate) const {
  const auto found = of_[side].find(coordinate);
  return found == of_[side].end() ? std::vector<std::pair<int, const Indices*>>() : found->second;
}

namespace {

Coverage coverage_of_runs(const Held& held, std::int64_t low, std::int64_t high) {
  Coverage result;
  std::int64_t covered = low;
  int last = -1;  // who covers the index before `covered`
  for (const HeldRun& run : all_runs_of(held)) {
    if (run.first > covered && result.missing < 0) result.missing = covered;
    if (run.first < covered && result.repeated < 0) {
      result.repeated = run.first;
      result.first = std::min(last, run.holder);
      result.second = std::max(last, run.holder);
    }
    if (run.end > covered) {
      covered = run.end;
      last = run.holder;
    }
  }
  if (covered < high && result.missing < 0) result.missing = covered;
  return result;
}

/// The lowest offset that is set; -1: none is.
std::int64_t lowest(const ChunkBits& bits) {
  for (std::size_t w = 0; w < ChunkBits::words; ++w)
    if (bits[w] != 0) return static_cast<std::int64_t>(w * 64) + __builtin_ctzll(bits[w]);
  return -1;
}

bool has(const ChunkBits& bits, std::int64_t offset) {
  const auto at = static_cast<std::size_t>(offset);
  return (bits[at / 64] >> at % 64 & 1) != 0;
}

Coverage coverage_of_chunks(const Held& held, std::int64_t low, std::int64_t high) {
  Coverage result;
  SideWalk all(held);
  ChunkBits seen, twice, missing;
  for (std::int64_t number = low / chunk_size; number * chunk_size < high; ++number) {
    if (result.missing >= 0 && result.repeated >= 0) break;
    const std::int64_t begin = number * chunk_size;
    seen.clear();
    twice.clear();
    if (all.next(number) == number) {
      all.read(number);
      for (const std::size_t k : all.here())
        for (std::size_t w = 0; w < ChunkBits::words; ++w) {
          twice[w] |= seen[w] & all.bits(k)[w];
          seen[w] |= all.bits(k)[w];
        }
    }
    missing.clear();
    missing.set_range(static_cast<std::size_t>(std::max(low - begin, std::int64_t{0})),
                      static_cast<std::size_t>(std::min(high - begin, chunk_size)));
    for (std::size_t w = 0; w < ChunkBits::words; ++w) missing[w] &= ~seen[w];
    if (const std::int64_t i = lowest(missing); i >= 0 && result.missing < 0) result.missing = begin + i;
    if (const std::int64_t i = lowest(twice); i >= 0 && result.repeated < 0) {
      result.repeated = begin + i;
      for (const std::size_t k : all.here()) {
        if (!has(all.bits(k), i)) continue;
        if (result.first < 0)
          result.first = all.coordinate(k);
        else if (result.second < 0)
          result.second = all.coordinate(k);
      }
    }
  }
  return result;
}

}  // namespace

Coverage coverage(const std::map<int, Indices>& held, std::int64_t low, std::int64_t high) {
  if (any_chunks(held) || segments_held(held) * short_runs > high - low)
    return coverage_of_chunks(held, low, high);
  return coverage_of_runs(held, low, high);
}

}  // namespace lapwing::arrays
