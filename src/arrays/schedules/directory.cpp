// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/directory.hpp"

#include <algorithm>

namespace lapwing::arrays {

namespace {

struct HeldRun {
  std::int64_t first, end;
  int holder;
};

/// All coordinates' segments in ascending order. Those of one are so already, and are merged.
std::vector<HeldRun> all_runs_of(const std::map<int, std::vector<Segments>>& held) {
  std::vector<HeldRun> runs;
  std::vector<std::size_t> bounds{0};
  for (const auto& [coordinate, families] : held) {
    const int holder = coordinate;
    each_segment(families, [&](std::int64_t first, std::int64_t length, std::int64_t) {
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

}  // namespace

std::int64_t block_begin(std::int64_t count, std::int64_t blocks, std::int64_t number) {
  return static_cast<std::int64_t>(static_cast<__int128>(count) * number / blocks);
}

void Directory::meet() {
  const std::vector<HeldRun> sources = all_runs_of(held_[source]);
  std::map<int, std::size_t> numbers;
  for (const auto& [coordinate, families] : held_[source]) numbers.emplace(coordinate, numbers.size());
  std::vector<std::size_t> number_of_run;
  number_of_run.reserve(sources.size());
  for (const HeldRun& run : sources) number_of_run.push_back(numbers[run.holder]);
  for (const auto& [coordinate, families] : held_[destination]) {
    std::vector<Folder> found(numbers.size());
    std::size_t next = 0;
    each_segment(families, [&](std::int64_t first, std::int64_t length, std::int64_t) {
      // Sources do not overlap, so they end in the order in which they begin.
      if (next < sources.size() && sources[next].end <= first)
        next = static_cast<std::size_t>(
            std::partition_point(sources.begin() + static_cast<std::ptrdiff_t>(next), sources.end(),
                                 [&](const HeldRun& run) { return run.end <= first; }) -
            sources.begin());
      for (std::size_t k = next; k < sources.size() && sources[k].first < first + length; ++k) {
        const std::int64_t from = std::max(first, sources[k].first),
                           to = std::min(first + length, sources[k].end);
        found[number_of_run[k]].add(from, to - from, from);
      }
    });
    for (const auto& [holder, number] : numbers)
      if (std::vector<Segments> list = found[number].take(); !list.empty())
        shared_.emplace(std::pair(holder, coordinate), std::move(list));
  }
}

std::vector<std::pair<int, const Directory::Families*>> Directory::shared(Side side, int coordinate) const {
  std::vector<std::pair<int, const Families*>> result;
  for (const auto& [pair, families] : shared_) {
    const auto [here, there] = side == source ? pair : std::pair(pair.second, pair.first);
    if (here == coordinate) result.emplace_back(there, &families);
  }
  return result;
}

Coverage coverage(const std::map<int, std::vector<Segments>>& held, std::int64_t low, std::int64_t high) {
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

}  // namespace lapwing::arrays
