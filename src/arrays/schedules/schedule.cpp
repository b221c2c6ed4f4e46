// SPDX-License-Identifier: Apache-2.0
// A schedule is composed per dimension: a piece for each combination of what
// the dimensions' intersections found, times the copies of a replicated array.
#include "arrays/schedules/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "arrays/schedules/local.hpp"

namespace lapwing::arrays {

struct WireOrder {
  std::vector<MatchedDimensions> dimensions;  ///< slowest first
  bool transposed = false;                    ///< the fastest dimension is another one at each side
};

namespace {

/// The receiver's own order, so that it writes long runs, for to write costs
/// more than to read. Where the sender's fastest dimension is another, that one
/// comes last and goes in panels.
WireOrder wire_order(const Distribution& source, const Section& from, const Distribution& destination,
                     const Section& to) {
  const auto destinations = static_cast<int>(destination.dimensions.size());
  std::vector<MatchedDimensions> result;
  std::vector<bool> taken(source.dimensions.size(), false);
  for (int k = 0; k < destinations; ++k) {
    const int d = destination.order == Order::row_major ? k : destinations - 1 - k;
    const int s = to.permutation.empty() ? d : to.permutation[static_cast<std::size_t>(d)];
    if (s >= 0) taken[static_cast<std::size_t>(s)] = true;
    result.push_back({s, d});
  }
  for (std::size_t s = 0; s < taken.size(); ++s) {
    if (!taken[s]) result.push_back({static_cast<int>(s), -1});
  }
  // Those that have one element do not matter.
  const auto matters = [&](const MatchedDimensions& m) {
    return m.source >= 0 && from.dimensions[static_cast<std::size_t>(m.source)].count != 1;
  };
  std::stable_partition(result.begin(), result.end(),
                        [&](const MatchedDimensions& m) { return !matters(m); });
  const auto slower = [&](const MatchedDimensions& a, const MatchedDimensions& b) {
    return source.order == Order::row_major ? a.source < b.source : a.source > b.source;
  };
  const auto begin = std::find_if(result.begin(), result.end(), matters);
  const auto fastest = std::max_element(begin, result.end(), slower);
  const bool transposed = result.end() - begin >= 2 && fastest != result.end() - 1;
  if (transposed) std::rotate(fastest, fastest + 1, result.end());
  return {std::move(result), transposed};
}

}  // namespace

/// One side of the transfer: its grid and its axes in the wire's order.
class SideAxes {
 public:
  SideAxes(const Distribution& distribution, const Section& section, const std::vector<int>& dimensions)
      : distribution_(distribution), used_(distribution.grid.extents.size(), -1) {
    for (const int d : dimensions) {
      const auto at = static_cast<std::size_t>(d);
      if (d < 0) {
        axes.emplace_back(collapsed(1), 1, SectionDimension{0, 1, 1});
        grid_dimensions.push_back(-1);
        continue;
      }
      axes.emplace_back(distribution.dimensions[at], distribution.processes(at), section.dimensions[at]);
      const int g = distribution.dimensions[at].grid_dimension;
      grid_dimensions.push_back(g);
      if (g >= 0) used_[static_cast<std::size_t>(g)] = static_cast<int>(axes.size()) - 1;
    }
    number_active();
  }

  [[nodiscard]] const ProcessGrid& grid() const { return distribution_.grid; }
  [[nodiscard]] int coordinate(const std::vector<int>& coordinates, std::size_t axis) const {
    const int g = grid_dimensions[axis];
    return g < 0 ? 0 : coordinates[static_cast<std::size_t>(g)];
  }
  [[nodiscard]] int replicas() const { return replicas_; }
  /// The number of the copy that a position belongs to.
  [[nodiscard]] int replica(const std::vector<int>& coordinates) const {
    int result = 0;
    for (std::size_t g = 0; g < used_.size(); ++g) {
      if (used_[g] < 0) result = result * grid().extents[g] + coordinates[g];
    }
    return result;
  }
  /// Fills in the coordinates over which the array is replicated.
  void set_replica(std::vector<int>& coordinates, int replica) const {
    for (std::size_t g = used_.size(); g-- > 0;) {
      if (used_[g] >= 0) continue;
      coordinates[g] = replica % grid().extents[g];
      replica /= grid().extents[g];
    }
  }
  /// Positions that own something of the section are numbered without gaps.
  [[nodiscard]] std::int64_t active() const { return active_; }
  [[nodiscard]] std::int64_t number(const std::vector<int>& coordinates) const {
    std::int64_t result = 0;
    for (std::size_t g = 0; g < used_.size(); ++g) {
      const auto c = static_cast<std::size_t>(coordinates[g]);
      result = result * active_in_[g] + numbers_[g][c];
    }
    return result;
  }

  std::vector<Axis> axes;
  std::vector<int> grid_dimensions;  ///< of each axis

 private:
  void number_active() {
    for (std::size_t g = 0; g < used_.size(); ++g) {
      std::vector<int> numbers(static_cast<std::size_t>(grid().extents[g]));
      int count = 0;
      for (std::size_t c = 0; c < numbers.size(); ++c) {
        numbers[c] = count;
        if (used_[g] < 0) {
          ++count;
        } else {
          const Axis& axis = axes[static_cast<std::size_t>(used_[g])];
          count += axis.next(0, static_cast<int>(c)) < axis.count() ? 1 : 0;
        }
      }
      if (used_[g] < 0) replicas_ *= grid().extents[g];
      active_in_.push_back(count);
      active_ *= count;
      numbers_.push_back(std::move(numbers));
    }
  }

  const Distribution& distribution_;
  std::vector<int> used_;  ///< the axis on each grid dimension
  std::vector<std::vector<int>> numbers_;
  std::vector<int> active_in_;
  std::int64_t active_ = 1;
  int replicas_ = 1;
};

class Scheduler {
 public:
  Scheduler(Schedule::Way way, const Distribution& source, const Section& from,
            const Distribution& destination, const Section& to, int rank, const Processes& processes,
            const KnownSets* known)
      : way_(way),
        source_(source),
        destination_(destination),
        from_(filled(from, source)),
        to_(filled(to, destination)),
        rank_(rank),
        processes_(processes),
        known_(known) {
    for (const std::string& problem : {validate(source, -1), validate(destination, -1),
                                       validate(from, source), validate(to, destination)}) {
      if (!problem.empty()) throw std::invalid_argument(problem);
    }
    if (const std::string problem = mismatch(source, from, destination, to); !problem.empty())
      throw std::invalid_argument(problem);
  }

  Schedule compose() {
    Schedule result;
    result.way_ = way_;
    const int position = mine().grid.position_of(rank_);
    if (position < 0) return result;
    set_up();
    const SideAxes& own = way_ == Schedule::Way::send ? *sender_ : *receiver_;
    const SideAxes& other = way_ == Schedule::Way::send ? *receiver_ : *sender_;
    my_coordinates_ = own.grid().coordinates(position);
    std::vector<std::vector<Shared>> shared;
    for (std::size_t d = 0; d < own.axes.size(); ++d) {
      shared.push_back(shared_in(d, own, other));
      if (shared.back().empty()) return result;
    }
    std::vector<int> coordinates(other.grid().extents.size(), 0);
    std::vector<std::size_t> chosen(shared.size(), 0);
    do {
      for (std::size_t d = 0; d < shared.size(); ++d) {
        const int g = other.grid_dimensions[d];
        if (g >= 0) coordinates[static_cast<std::size_t>(g)] = shared[d][chosen[d]].coordinate;
      }
      add_copies(result.pieces_, shared, chosen, coordinates);
    } while (advance(chosen, shared));
    std::sort(result.pieces_.begin(), result.pieces_.end(), [](const Piece& a, const Piece& b) {
      return a.round != b.round ? a.round < b.round : a.partner < b.partner;
    });
    return result;
  }

 private:
  [[nodiscard]] const Distribution& mine() const {
    return way_ == Schedule::Way::send ? source_ : destination_;
  }

  void set_up() {
    WireOrder wire = wire_order(source_, from_, destination_, to_);
    order_ = std::move(wire.dimensions);
    // An odd number of cache lines, so that columns do not fall on each other in caches.
    panel_ = wire.transposed ? std::max<std::int64_t>(1, 33 * 64 / source_.element_bytes()) : 0;
    std::vector<int> sources, destinations;
    for (const MatchedDimensions& m : order_) {
      sources.push_back(m.source);
      destinations.push_back(m.destination);
    }
    sender_.emplace(source_, from_, sources);
    receiver_.emplace(destination_, to_, destinations);
    part_ = local_part(mine(), rank_);
    if (sender_->replicas() > 1 && !processes_.source.empty()) {
      const std::vector<int>& ranks = sender_->grid().ranks;
      for (std::size_t k = 0; k < ranks.size(); ++k) {
        const auto rank = static_cast<std::size_t>(ranks[k]);
        if (rank < processes_.source.size())
          source_position_.emplace(processes_.source[rank], static_cast<int>(k));
      }
    }
  }

  /// Index lists are not in the descriptors: what they share has been found by messages.
  [[nodiscard]] std::vector<Shared> shared_in(std::size_t d, const SideAxes& own,
                                              const SideAxes& other) const {
    if (!own.axes[d].listed() && !other.axes[d].listed())
      return intersect(own.axes[d], own.coordinate(my_coordinates_, d), other.axes[d]);
    const auto found =
        known_ ? known_->find({order_[d].source, order_[d].destination}) : KnownSets::const_iterator{};
    if (known_ == nullptr || found == known_->end())
      throw std::invalid_argument("what index lists share is known in a transfer only");
    return found->second;
  }

  static bool advance(std::vector<std::size_t>& chosen, const std::vector<std::vector<Shared>>& shared) {
    for (std::size_t d = chosen.size(); d-- > 0;) {
      if (++chosen[d] < shared[d].size()) return true;
      chosen[d] = 0;
    }
    return false;
  }

  /// The copy of a replicated source that serves a destination: its own where
  /// the same process holds one; else spread by all digits of the position, so
  /// that regular patterns of destinations do not meet at one copy.
  int copy_for(int destination_position) const {
    const int copies = sender_->replicas();
    if (copies == 1) return 0;
    const int rank = receiver_->grid().ranks[static_cast<std::size_t>(destination_position)];
    if (static_cast<std::size_t>(rank) < processes_.destination.size()) {
      const auto found = source_position_.find(processes_.destination[static_cast<std::size_t>(rank)]);
      if (found != source_position_.end())
        return sender_->replica(sender_->grid().coordinates(found->second));
    }
    int digits = 0;
    for (int rest = destination_position; rest > 0; rest /= copies) digits += rest % copies;
    return digits % copies;
  }

  void add_copies(std::vector<Piece>& pieces, const std::vector<std::vector<Shared>>& shared,
                  const std::vector<std::size_t>& chosen, std::vector<int>& coordinates) {
    if (way_ == Schedule::Way::receive) {
      sender_->set_replica(coordinates, copy_for(receiver_->grid().position(my_coordinates_)));
      add(pieces, shared, chosen, coordinates);
      return;
    }
    const int my_copy = sender_->replica(my_coordinates_);
    for (int copy = 0; copy < receiver_->replicas(); ++copy) {
      receiver_->set_replica(coordinates, copy);
      if (copy_for(receiver_->grid().position(coordinates)) == my_copy)
        add(pieces, shared, chosen, coordinates);
    }
  }

  void add(std::vector<Piece>& pieces, const std::vector<std::vector<Shared>>& shared,
           const std::vector<std::size_t>& chosen, const std::vector<int>& coordinates) {
    const bool sends = way_ == Schedule::Way::send;
    const SideAxes& other = sends ? *receiver_ : *sender_;
    Piece piece;
    piece.partner = other.grid().ranks[static_cast<std::size_t>(other.grid().position(coordinates))];
    const std::int64_t here = (sends ? *sender_ : *receiver_).number(my_coordinates_);
    const std::int64_t there = other.number(coordinates);
    // In each of max(senders, receivers) rounds every sender has another
    // receiver; it begins with the one at its own position.
    const std::int64_t rounds = std::max(sender_->active(), receiver_->active());
    piece.round = ((sends ? there - here : here - there) % rounds + rounds) % rounds;
    piece.elements = 1;
    piece.base = part_.first;
    for (std::size_t d = 0; d < shared.size(); ++d) {
      const int dimension = sends ? order_[d].source : order_[d].destination;
      const auto& [coordinate, set, places] = shared[d][chosen[d]];
      piece.elements *= set->elements();
      piece.dimensions.push_back({set, places,
                                  dimension < 0 ? 0 : part_.strides[static_cast<std::size_t>(dimension)],
                                  order_[d].source});
    }
    piece.wire = source_.type;
    piece.local = mine().type;
    piece.wire_bytes = source_.element_bytes();
    piece.local_bytes = mine().element_bytes();
    piece.part_bytes = part_.elements * piece.local_bytes;
    piece.panel = panel_;
    piece.self = is_self(piece.partner);
    pieces.push_back(std::move(piece));
  }

  [[nodiscard]] bool is_self(int partner) const {
    const bool sends = way_ == Schedule::Way::send;
    const auto& my_numbers = sends ? processes_.source : processes_.destination;
    const auto& their_numbers = sends ? processes_.destination : processes_.source;
    const auto me = static_cast<std::size_t>(rank_), them = static_cast<std::size_t>(partner);
    return me < my_numbers.size() && them < their_numbers.size() && my_numbers[me] == their_numbers[them];
  }

  Schedule::Way way_;
  const Distribution& source_;
  const Distribution& destination_;
  Section from_, to_;
  int rank_;
  const Processes& processes_;
  const KnownSets* known_;
  std::vector<MatchedDimensions> order_;
  std::int64_t panel_ = 0;
  std::optional<SideAxes> sender_, receiver_;
  LocalPart part_;
  std::vector<int> my_coordinates_;
  std::unordered_map<std::int64_t, int> source_position_;  ///< of each process
};

Processes Processes::same(int size) {
  Processes result;
  result.source.resize(static_cast<std::size_t>(size));
  std::iota(result.source.begin(), result.source.end(), 0);
  result.destination = result.source;
  return result;
}

Schedule Schedule::sending(const Distribution& mine, const Section& from, int my_rank,
                           const Distribution& theirs, const Section& to, const Processes& processes,
                           const KnownSets* known) {
  return Scheduler(Way::send, mine, from, theirs, to, my_rank, processes, known).compose();
}

Schedule Schedule::receiving(const Distribution& mine, const Section& to, int my_rank,
                             const Distribution& theirs, const Section& from, const Processes& processes,
                             const KnownSets* known) {
  return Scheduler(Way::receive, theirs, from, mine, to, my_rank, processes, known).compose();
}

std::int64_t Schedule::elements() const {
  return std::accumulate(pieces_.begin(), pieces_.end(), std::int64_t{0},
                         [](std::int64_t sum, const Piece& piece) { return sum + piece.elements; });
}

std::int64_t Schedule::bytes() const {
  return std::accumulate(pieces_.begin(), pieces_.end(), std::int64_t{0},
                         [](std::int64_t sum, const Piece& piece) { return sum + piece.bytes(); });
}

std::int64_t Schedule::bytes_leaving() const {
  return std::accumulate(
      pieces_.begin(), pieces_.end(), std::int64_t{0},
      [](std::int64_t sum, const Piece& piece) { return sum + (piece.self ? 0 : piece.bytes()); });
}

std::int64_t Schedule::families() const {
  std::int64_t result = 0;
  for (const Piece& piece : pieces_) {
    for (const PieceDimension& dimension : piece.dimensions) result += dimension.set->families();
  }
  return result;
}

const Piece* Schedule::piece_of(int partner) const& {
  const auto found = std::find_if(pieces_.begin(), pieces_.end(),
                                  [&](const Piece& piece) { return piece.partner == partner; });
  return found == pieces_.end() ? nullptr : &*found;
}

}  // namespace lapwing::arrays
