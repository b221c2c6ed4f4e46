// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/rendezvous.hpp"

#include <algorithm>

namespace lapwing::arrays {

namespace {

constexpr Directory::Side both_sides[] = {Directory::source, Directory::destination};
constexpr std::size_t words_of_indices = 4;

void write_families(Words& out, const std::vector<Segments>& families) {
  out.push_back(static_cast<std::int64_t>(families.size()));
  for (const Segments& family : families)
    out.insert(out.end(), {family.first, family.length, family.stride, family.count});
}

class WordReader {
 public:
  explicit WordReader(std::span<const std::int64_t> words) : rest_(words) {}
  std::int64_t word() {
    if (rest_.empty()) return 0;
    const std::int64_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }
  std::vector<Segments> families() {
    const auto count = std::min(static_cast<std::size_t>(word()), rest_.size() / words_of_indices);
    std::vector<Segments> result(count);
    for (Segments& family : result) {
      family.first = family.local = word();
      family.length = word();
      family.stride = family.local_stride = word();
      family.count = word();
    }
    return result;
  }

 private:
  std::span<const std::int64_t> rest_;
};

/// The part of a coordinate in a dimension that is not distributed by lists.
std::vector<Segments> part_of_axis(const Axis& axis, int coordinate) {
  Folder result(axis.step());
  for (std::int64_t i = axis.next(0, coordinate); i < axis.count();) {
    const std::int64_t length = axis.run_end(i) - i;
    if (axis.uniform() && length == axis.run_length() && axis.count() - i >= axis.period() + length) {
      const std::int64_t count = (axis.count() - i - length) / axis.period() + 1;
      result.add({i, length, axis.period(), count, axis.local(i), axis.local_period(), 0});
      i = axis.next(i + (count - 1) * axis.period() + length, coordinate);
    } else {
      result.add(i, length, axis.local(i));
      i = axis.next(i + length, coordinate);
    }
  }
  return result.take();
}

}  // namespace

std::vector<MatchedDimensions> list_dimensions(const Distribution& source, const Distribution& destination,
                                               const Section& to) {
  const auto listed = [](const Distribution& distribution, int d) {
    return d >= 0 && distribution.dimensions[static_cast<std::size_t>(d)].layout == Layout::indexed;
  };
  std::vector<MatchedDimensions> result;
  std::vector<bool> taken(source.dimensions.size(), false);
  const auto add = [&](int s, int d) {
    if (s >= 0) taken[static_cast<std::size_t>(s)] = true;
    if (listed(source, s) || listed(destination, d)) result.push_back({s, d});
  };
  for (int d = 0; d < static_cast<int>(destination.dimensions.size()); ++d)
    add(to.permutation.empty() ? d : to.permutation[static_cast<std::size_t>(d)], d);
  for (int s = 0; s < static_cast<int>(taken.size()); ++s)
    if (!taken[static_cast<std::size_t>(s)]) add(s, -1);
  return result;
}

std::vector<Segments> placed(const std::vector<Segments>& indices, const std::vector<Segments>& own,
                             std::int64_t step) {
  Folder result(step);
  auto at = own.begin();
  const auto last_of = [](const Segments& family) {
    return family.first + (family.count - 1) * family.stride + family.length - 1;
  };
  for (const Segments& family : indices) {
    while (at != own.end() && last_of(*at) < family.first) ++at;
    if (at == own.end()) break;
    // All of it by one rule: in one run, or a segment of it in every so-manieth of a family.
    const std::int64_t behind = family.first - at->first;
    if (family.count > 1 && last_of(family) <= last_of(*at)) {
      const std::int64_t period = at->count > 1 ? at->stride : 0;
      if (period == 0) {
        result.add({family.first, family.length, family.stride, family.count, at->local + behind * step,
                    family.stride * step, 0});
        continue;
      }
      if (family.stride % period == 0 && behind % period + family.length <= at->length) {
        result.add({family.first, family.length, family.stride, family.count,
                    at->local + behind / period * at->local_stride + behind % period * step,
                    family.stride / period * at->local_stride, 0});
        continue;
      }
    }
    auto here = at;
    for (std::int64_t k = 0; k < family.count; ++k) {
      std::int64_t index = family.first + k * family.stride;
      for (std::int64_t left = family.length; left > 0 && here != own.end();) {
        if (last_of(*here) < index) {
          ++here;
          continue;
        }
        const std::int64_t ahead = index - here->first;
        if (ahead < 0) break;  // not one of ours
        const std::int64_t segment = here->count > 1 ? ahead / here->stride : 0;
        const std::int64_t within = ahead - segment * here->stride;
        const std::int64_t length = std::min(left, here->length - within);
        if (length <= 0) break;
        result.add(index, length, here->local + segment * here->local_stride + within * step);
        index += length;
        left -= length;
      }
    }
  }
  return result.take();
}

Rendezvous::Own Rendezvous::own_part(const Distribution& distribution, const Section& section, int dimension,
                                     int rank) {
  Own own;
  const int position = rank < 0 ? -1 : distribution.grid.position_of(rank);
  own.there = position >= 0;
  if (!own.there) return own;
  if (dimension < 0) {  // this side has no such dimension: one element
    own.families = {{0, 1, 0, 1, 0, 0, 0}};
    return own;
  }
  const auto d = static_cast<std::size_t>(dimension);
  const Dimension& here = distribution.dimensions[d];
  if (here.grid_dimension >= 0)
    own.coordinate = distribution.grid.coordinates(position)[static_cast<std::size_t>(here.grid_dimension)];
  if (here.lists) {
    own.families = here.lists->list.in_section(section.dimensions[d]);
    return own;
  }
  const Axis axis(here, distribution.processes(d), section.dimensions[d]);
  own.step = axis.step();
  own.families = part_of_axis(axis, own.coordinate);
  return own;
}

Rendezvous::Rendezvous(const Distribution& source, const Section& from, int source_rank,
                       const Distribution& destination, const Section& to, int destination_rank, int parties,
                       int me)
    : parties_(parties), me_(me) {
  const Section sent = filled(from, source), received = filled(to, destination);
  for (const MatchedDimensions& pair : list_dimensions(source, destination, received)) {
    Pair& made = pairs_.emplace_back();
    made.dimensions = pair;
    made.count = pair.source >= 0 ? sent.dimensions[static_cast<std::size_t>(pair.source)].count : 1;
    made.own[Directory::source] = own_part(source, sent, pair.source, source_rank);
    made.own[Directory::destination] = own_part(destination, received, pair.destination, destination_rank);
    for (const Directory::Side side : both_sides)
      made.asks[side].assign(static_cast<std::size_t>(parties), -1);
  }
}

Words Rendezvous::question(int number) const {
  Words out;
  for (const Pair& pair : pairs_) {
    const std::int64_t low = block_begin(pair.count, parties_, number);
    const std::int64_t high = block_begin(pair.count, parties_, number + 1);
    for (const Own& own : pair.own) {
      out.push_back(own.there ? own.coordinate : -1);
      if (own.there) write_families(out, clipped(own.families, low, high, own.step));
    }
  }
  return out;
}

void Rendezvous::hear(int number, std::span<const std::int64_t> words) {
  WordReader in(words);
  for (Pair& pair : pairs_) {
    for (const Directory::Side side : both_sides) {
      const auto coordinate = static_cast<int>(in.word());
      pair.asks[side][static_cast<std::size_t>(number)] = coordinate;
      if (coordinate >= 0) pair.directory.hold(side, coordinate, in.families());
    }
  }
}

Words Rendezvous::answer(int number) {
  if (!met_)
    for (Pair& pair : pairs_) pair.directory.meet();
  met_ = true;
  Words out;
  for (const Pair& pair : pairs_) {
    for (const Directory::Side side : both_sides) {
      const int coordinate = pair.asks[side][static_cast<std::size_t>(number)];
      if (coordinate < 0) continue;
      const auto shared = pair.directory.shared(side, coordinate);
      out.push_back(static_cast<std::int64_t>(shared.size()));
      for (const auto& [other, families] : shared) {
        out.push_back(other);
        write_families(out, *families);
      }
    }
  }
  return out;
}

void Rendezvous::learn(std::span<const std::int64_t> words) {
  WordReader in(words);
  for (Pair& pair : pairs_) {
    for (Own& own : pair.own) {
      if (!own.there) continue;
      for (std::int64_t k = in.word(); k > 0; --k) {
        Folder& folder = own.shared[static_cast<int>(in.word())];
        for (const Segments& family : in.families()) folder.add(family);
      }
    }
  }
}

KnownSets Rendezvous::known(Directory::Side side) {
  KnownSets result;
  for (Pair& pair : pairs_) {
    Own& own = pair.own[side];
    std::vector<Shared> list;
    for (auto& [coordinate, folder] : own.shared) {
      auto set = std::make_shared<const IndexSet>(
          periodic_set(placed(folder.take(), own.families, own.step), own.step));
      auto places = joined_places(set);
      list.push_back({coordinate, std::move(set), std::move(places)});
    }
    own.shared.clear();
    result.emplace(std::pair(pair.dimensions.source, pair.dimensions.destination), std::move(list));
  }
  return result;
}

}  // namespace lapwing::arrays
