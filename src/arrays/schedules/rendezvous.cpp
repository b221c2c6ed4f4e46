// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/rendezvous.hpp"

#include <algorithm>

#include "arrays/schedules/shared_sets.hpp"

namespace lapwing::arrays {

namespace {

constexpr Directory::Side both_sides[] = {Directory::source, Directory::destination};
std::int64_t take_word(std::span<const std::int64_t>& words) {
  if (words.empty()) return 0;
  const std::int64_t value = words.front();
  words = words.subspan(1);
  return value;
}

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

Rendezvous::Own Rendezvous::own_part(const Distribution& distribution, const Section& section, int dimension,
                                     int rank) {
  Own own;
  const int position = rank < 0 ? -1 : distribution.grid.position_of(rank);
  own.there = position >= 0;
  if (!own.there) return own;
  if (dimension < 0) {  // this side has no such dimension: one element
    own.part.families = {{0, 1, 0, 1, 0, 0, 0}};
    return own;
  }
  const auto d = static_cast<std::size_t>(dimension);
  const Dimension& here = distribution.dimensions[d];
  if (here.grid_dimension >= 0)
    own.coordinate = distribution.grid.coordinates(position)[static_cast<std::size_t>(here.grid_dimension)];
  if (here.lists) {
    own.part = here.lists->list.in_section(section.dimensions[d]);
    return own;
  }
  const Axis axis(here, distribution.processes(d), section.dimensions[d]);
  own.step = axis.step();
  own.part.families = part_of_axis(axis, own.coordinate);
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
      if (own.there) write_indices(out, indices_in(own.part, low, high, own.step));
    }
  }
  return out;
}

void Rendezvous::hear(int number, std::span<const std::int64_t> words) {
  for (Pair& pair : pairs_) {
    for (const Directory::Side side : both_sides) {
      const auto coordinate = static_cast<int>(take_word(words));
      pair.asks[side][static_cast<std::size_t>(number)] = coordinate;
      if (coordinate >= 0) pair.directory.hold(side, coordinate, read_indices(words));
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
      for (const auto& [other, indices] : shared) {
        out.push_back(other);
        write_indices(out, *indices);
      }
    }
  }
  return out;
}

void Rendezvous::learn(std::span<const std::int64_t> words) {
  for (Pair& pair : pairs_) {
    for (Own& own : pair.own) {
      if (!own.there) continue;
      for (std::int64_t k = take_word(words); k > 0; --k) {
        Indices& all = own.shared[static_cast<int>(take_word(words))];
        const Indices more = read_indices(words);
        all.families.insert(all.families.end(), more.families.begin(), more.families.end());
        all.chunks.insert(all.chunks.end(), more.chunks.begin(), more.chunks.end());
      }
    }
  }
}

KnownSets Rendezvous::known(Directory::Side side) {
  KnownSets result;
  for (Pair& pair : pairs_) {
    Own& own = pair.own[side];
    result.emplace(std::pair(pair.dimensions.source, pair.dimensions.destination),
                   shared_sets(own.part, own.step, own.shared));
    own.shared.clear();
  }
  return result;
}

}  // namespace lapwing::arrays
