// SPDX-License-Identifier: Apache-2.0
// One process's half of a transfer between two distributed arrays: what it
// sends, or those that it receives (HPF/MPI 2.1, step 4). Both halves are computed
// from the same two descriptors and agree without a message.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays/schedules/distribution.hpp"
#include "arrays/schedules/falls.hpp"
#include "arrays/schedules/section.hpp"

namespace lapwing::arrays {

/// One dimension of a piece. The elements that it selects lie `stride` times
/// their place apart.
struct PieceDimension {
  std::shared_ptr<const IndexSet> set;
  std::shared_ptr<const IndexSet> places;  ///< the same, for those who only move elements
  std::int64_t stride = 1;                 ///< in elements of the local allocation
  int source_dimension = -1;               ///< of the sender's array; -1: the sender's has none here
};

/// The elements that travel between this process and one other. They are the
/// product of its dimensions' sets; on the wire the last dimension varies
/// fastest and elements have the sender's type. Both sides walk alike. With a
/// panel the last two dimensions are a transposition: that many elements of the
/// last one travel for all of the last but one before the next as many do, so
/// that a strip has some width in both.
struct Piece {
  int partner = 0;         ///< task rank of the other side
  std::int64_t round = 0;  ///< no process sends twice or receives twice in one round
  std::int64_t elements = 0;
  std::int64_t base = 0;  ///< offset in the allocation of the place 0 in all dimensions
  std::vector<PieceDimension> dimensions;
  ElementType wire = ElementType::float64, local = ElementType::float64;
  std::int64_t wire_bytes = 8, local_bytes = 8;  ///< of one element
  std::int64_t panel = 0;
  std::int64_t part_bytes = 0;  ///< of all that this process owns of the array
  bool self = false;            ///< the other side is this process

  [[nodiscard]] std::int64_t bytes() const { return elements * wire_bytes; }
};

/// Which process is behind each rank of two tasks that share some, by any
/// numbers that both agree on. Empty: they share none.
struct Processes {
  std::vector<std::int64_t> source, destination;

  /// Both sides are the same task.
  static Processes same(int size);
};

/// A dimension of the sender's array and the one of the receiver's that takes it; -1: that side has none.
struct MatchedDimensions {
  int source, destination;
};
/// The elements that this process shares in dimensions that index lists distribute, by source and
/// destination: they follow from no descriptor, but from a rendezvous (rendezvous.hpp).
using KnownSets = std::map<std::pair<int, int>, std::vector<Shared>>;

class Schedule {
 public:
  enum class Way : std::uint8_t { send, receive };

  Schedule() = default;
  /// Of pieces that were found another way: in their order.
  Schedule(Way way, std::vector<Piece> pieces) : way_(way), pieces_(std::move(pieces)) {}
  /// Throws std::invalid_argument with the sentence of validate() or mismatch()
  /// where the two do not fit. `known` is needed where a dimension has index lists.
  static Schedule sending(const Distribution& mine, const Section& from, int my_rank,
                          const Distribution& theirs, const Section& to, const Processes& processes = {},
                          const KnownSets* known = nullptr);
  static Schedule receiving(const Distribution& mine, const Section& to, int my_rank,
                            const Distribution& theirs, const Section& from, const Processes& processes = {},
                            const KnownSets* known = nullptr);

  [[nodiscard]] Way way() const { return way_; }
  /// One per partner, in the order in which to send or expect them: by rounds.
  /// Where all senders have the same receivers and these are at least as many,
  /// the k-th pieces of no two senders have the same receiver (section 2.2).
  [[nodiscard]] const std::vector<Piece>& pieces() const& { return pieces_; }
  [[nodiscard]] std::vector<Piece> pieces() && { return std::move(pieces_); }
  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::int64_t bytes() const;          ///< on the wire, and of what stays here
  [[nodiscard]] std::int64_t bytes_leaving() const;  ///< without what stays on this process
  [[nodiscard]] std::int64_t families() const;       ///< of segments: what the schedule cost
  [[nodiscard]] const Piece* piece_of(int partner) const&;
  const Piece* piece_of(int partner) && = delete;

 private:
  friend class Scheduler;
  Way way_ = Way::send;
  std::vector<Piece> pieces_;
};

/// One line per piece, with its sets as {first length stride count}.
std::string to_text(const Schedule& schedule);

}  // namespace lapwing::arrays
