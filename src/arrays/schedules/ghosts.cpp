// SPDX-License-Identifier: Apache-2.0
// Along one dimension the blocks of all coordinates lie one after the other, and
// for ever so where it is periodic. A process walks from its own block outwards:
// as a receiver until its ghosts end, as a sender until a block's ghosts do not
// reach it any more. The combinations of what the dimensions found are the pieces.
#include "arrays/schedules/ghosts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arrays/schedules/adder.hpp"
#include "arrays/schedules/index_list.hpp"
#include "arrays/schedules/local.hpp"

namespace lapwing::arrays {

namespace {

using Index = std::int64_t;

/// Elements along one dimension that two coordinates share.
struct Overlap {
  int coordinate;  ///< of the other side
  Index local;     ///< from my first owned element to the first one here
  Index at;        ///< from the receiver's first owned element; says which piece it is
  std::shared_ptr<const IndexSet> set;
};

std::shared_ptr<const IndexSet> run_of(Index elements) {
  Segments run;
  run.length = run.stride = elements;
  Falls all;
  all.inner.push_back(run);
  return std::make_shared<const IndexSet>(std::vector<Falls>{std::move(all)}, 1);
}

/// The blocks of one dimension, as far as indices go: those beyond the array are
/// its images.
class Line {
 public:
  Line(const Dimension& dimension, int processes, int coordinate, bool wraps)
      : dimension_(dimension),
        processes_(processes),
        wraps_(wraps),
        low_(global_index(dimension, processes, coordinate, 0)),
        high_(low_ + owned(dimension, processes, coordinate)) {}

  struct Block {
    int coordinate;
    Index low, high;
  };
  [[nodiscard]] bool exists(Index i) const { return wraps_ || (i >= 0 && i < dimension_.extent); }
  /// The block that index i is in.
  [[nodiscard]] Block block(Index i) const {
    const Index inside = (i % dimension_.extent + dimension_.extent) % dimension_.extent;
    const Place place = arrays::place(dimension_, processes_, inside);
    const Index low = i - place.local;
    return {place.coordinate, low, low + owned(dimension_, processes_, place.coordinate)};
  }

  /// The elements that fill my ghosts.
  [[nodiscard]] std::vector<Overlap> wanted() const {
    std::vector<Overlap> found;
    for (Index end = low_; end > low_ - dimension_.ghost_below && exists(end - 1);) {
      const Block from = block(end - 1);
      const Index first = std::max(from.low, low_ - dimension_.ghost_below);
      found.push_back({from.coordinate, first - low_, first - low_, run_of(end - first)});
      end = first;
    }
    for (Index first = high_; first < high_ + dimension_.ghost_above && exists(first);) {
      const Block from = block(first);
      const Index end = std::min(from.high, high_ + dimension_.ghost_above);
      found.push_back({from.coordinate, first - low_, first - low_, run_of(end - first)});
      first = end;
    }
    return found;
  }
  /// My elements that are ghosts elsewhere, or of mine.
  [[nodiscard]] std::vector<Overlap> given() const {
    std::vector<Overlap> found;
    for (Index next = high_; exists(next);) {
      const Block to = block(next);
      const Index first = std::max(low_, to.low - dimension_.ghost_below);
      if (first >= high_) break;
      found.push_back({to.coordinate, first - low_, first - to.low, run_of(high_ - first)});
      next = to.high;
    }
    for (Index next = low_; exists(next - 1);) {
      const Block to = block(next - 1);
      const Index end = std::min(high_, to.high + dimension_.ghost_above);
      if (end <= low_) break;
      found.push_back({to.coordinate, 0, low_ - to.low, run_of(end - low_)});
      next = to.low;
    }
    return found;
  }

 private:
  const Dimension& dimension_;
  int processes_;
  bool wraps_;
  Index low_, high_;
};

bool in_one_block(const Dimension& dimension, int processes) {
  if (dimension.layout != Layout::cyclic || processes == 1 || dimension.extent == 0) return true;
  const Index last = (dimension.offset + dimension.extent - 1) / dimension.block;
  return last - dimension.offset / dimension.block < processes;
}

/// A piece with what orders it among those of its partner.
struct Placed {
  Piece piece;
  std::vector<Index> at;
};

}  // namespace

std::string GhostUpdate::key() const {
  std::string text = {corners ? 'c' : 'f', adds ? '+' : '='};
  for (const bool one : periodic) text += one ? '1' : '0';
  while (text.back() == '0') text.pop_back();  // to say that a dimension is not periodic says nothing
  return text;
}

std::string validate(const GhostUpdate& update, const Distribution& distribution) {
  if (has_lists(distribution))
    return fmt::format(
        "{} is distributed by index lists, which have no neighbours; receive the halo by a list of its own",
        describe(distribution));
  for (std::size_t d = 0; d < distribution.dimensions.size(); ++d) {
    const Dimension& dimension = distribution.dimensions[d];
    if (dimension.ghost_below == 0 && dimension.ghost_above == 0) continue;
    if (in_one_block(dimension, distribution.processes(d))) continue;
    return fmt::format(
        "dimension {} of {} has {} ghost layers below and {} above, but its {} elements in blocks of {} go "
        "round {} processes more than once; only elements in one block have neighbours",
        d, describe(distribution), dimension.ghost_below, dimension.ghost_above, dimension.extent,
        dimension.block, distribution.processes(d));
  }
  if (update.adds && !addable(distribution.type))
    return fmt::format("elements of {} cannot be added: only the program understands them",
                       describe(distribution));
  if (update.periodic.size() > distribution.dimensions.size())
    return fmt::format("{} dimensions are said to be periodic or not, the array has {}",
                       update.periodic.size(), distribution.dimensions.size());
  return {};
}

Schedule ghost_schedule(Schedule::Way way, const Distribution& distribution, const GhostUpdate& update,
                        int rank) {
  const LocalPart part = local_part(distribution, rank);
  if (part.elements == 0) return Schedule(way, {});
  const ProcessGrid& grid = distribution.grid;
  const std::size_t dimensions = distribution.dimensions.size();
  // Of each dimension first the owned elements, then the ghosts.
  std::vector<std::vector<Overlap>> shared(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) {
    const Dimension& dimension = distribution.dimensions[d];
    const int g = dimension.grid_dimension;
    const int mine = g < 0 ? 0 : part.coordinates[static_cast<std::size_t>(g)];
    shared[d].push_back({mine, 0, 0, run_of(part.extents[d])});
    if (dimension.ghost_below == 0 && dimension.ghost_above == 0) continue;
    const Line line(dimension, distribution.processes(d), mine, update.wraps(d));
    const auto found = way == Schedule::Way::receive ? line.wanted() : line.given();
    shared[d].insert(shared[d].end(), found.begin(), found.end());
  }
  const Index here = grid.position(part.coordinates), positions = static_cast<Index>(grid.ranks.size());
  std::vector<Placed> placed;
  std::vector<std::size_t> chosen(dimensions, 0);
  const auto advance = [&] {
    for (std::size_t d = dimensions; d-- > 0;) {
      if (++chosen[d] < shared[d].size()) return true;
      chosen[d] = 0;
    }
    return false;
  };
  while (advance()) {  // the first one, all owned, is no ghost
    const auto beside = std::count_if(chosen.begin(), chosen.end(), [](std::size_t c) { return c != 0; });
    if (beside > 1 && !update.corners) continue;
    Placed next;
    Piece& piece = next.piece;
    std::vector<int> coordinates = part.coordinates;
    piece.base = part.first;
    piece.elements = 1;
    for (std::size_t k = 0; k < dimensions; ++k) {
      const std::size_t d = distribution.order == Order::row_major ? k : dimensions - 1 - k;
      const Overlap& overlap = shared[d][chosen[d]];
      const int g = distribution.dimensions[d].grid_dimension;
      if (g >= 0) coordinates[static_cast<std::size_t>(g)] = overlap.coordinate;
      piece.base += overlap.local * part.strides[d];
      piece.elements *= overlap.set->elements();
      piece.dimensions.push_back({overlap.set, overlap.set, part.strides[d], static_cast<int>(d)});
      next.at.push_back(overlap.at);
    }
    const Index there = grid.position(coordinates);
    piece.partner = grid.ranks[static_cast<std::size_t>(there)];
    piece.self = piece.partner == rank;
    const Index distance = way == Schedule::Way::send ? there - here : here - there;
    piece.round = (distance + positions) % positions;
    piece.wire = piece.local = distribution.type;
    piece.wire_bytes = piece.local_bytes = distribution.element_bytes();
    // Ghosts are read soon: never past the caches.
    piece.part_bytes = 0;
    placed.push_back(std::move(next));
  }
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return a.piece.round != b.piece.round ? a.piece.round < b.piece.round : a.at < b.at;
  });
  std::vector<Piece> pieces;
  pieces.reserve(placed.size());
  for (Placed& one : placed) pieces.push_back(std::move(one.piece));
  return Schedule(way, std::move(pieces));
}

}  // namespace lapwing::arrays
