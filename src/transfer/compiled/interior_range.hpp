// SPDX-License-Identifier: Apache-2.0
// Which rounds of a loop may run while messages travel.
//
// Compiled code describes the memory that each round of a loop touches, and the memory that is in flight, as
// ranges of addresses that move evenly from round to round. From these follows whether the rounds may run in
// any order, and which of them touch nothing that is in flight.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lapwing::transfer {

/// Memory as compiled code names it: `bytes` from `first` on; `by` more in each round of the divided loop,
/// and `steps[i].by` more in each of the `steps[i].back_edges` further rounds of a loop inside.
struct AffineAccess {
  struct Step {
    std::int64_t by = 0;
    std::uint64_t back_edges = 0;
  };
  std::uintptr_t first = 0;
  std::uint64_t bytes = 0;
  bool writes = false;
  std::int64_t by = 0;
  std::array<Step, 3> steps{};
  bool met = false;    ///< rounds may come upon it by an address that only they find
  bool alone = false;  ///< no other access writes it, and this one writes nothing of it twice
};

/// Bytes from `begin` on, up to `end`.
struct Addresses {
  std::int64_t begin = 0, end = 0;
};

/// Rounds [begin, end) of a loop.
struct Rounds {
  std::int64_t begin = 0, end = 0;
  bool empty() const { return begin >= end; }
};

class InteriorRange {
 public:
  /// `back_edges`: the rounds of the loop, less one.
  void begin(std::uint64_t back_edges);
  /// Each round touches this memory.
  void access(const AffineAccess& a);
  /// This memory is in flight: received if it `writes`, then no round inside may touch it; else no round
  /// inside may write it. `by` means nothing.
  void keep(const AffineAccess& a);
  /// A number, `first`, that moves as an access does, must fit in so many bits in all rounds; with a sign if
  /// they are positive. Else nothing of what is said here is true.
  void fit(const AffineAccess& a, std::int64_t bits);
  /// The longest rounds found that may run at once, before all others and in any order; empty if there are
  /// none. If rounds may come upon what others write, the first ones.
  Rounds find() const;
  /// Ranges that hold all memory that was `met`, in any round: two of what is kept, one of the other
  /// accesses. Each may be empty.
  std::array<Addresses, 3> avoided() const;

 private:
  // Of the first round, and of all rounds together.
  struct Range {
    std::int64_t low = 0, high = 0, by = 0;
    std::int64_t lowest = 0, highest = 0;
    bool writes = false, alone = false;
  };
  static constexpr std::size_t most = 64, most_kept = 128;

  bool resolve(const AffineAccess& a, std::int64_t by, Range* range) const;
  bool extend(const AffineAccess& a, std::int64_t by, Range* range) const;
  bool are_independent(const Range& a, const Range& b) const;
  bool is_written_beside(std::size_t index) const;
  Rounds touching(const Range& a, const Range& kept) const;

  std::int64_t rounds_ = 0;
  bool sound_ = false;
  std::size_t accesses_ = 0, kept_ = 0, met_ = 0;
  std::array<Range, most> access_{};
  std::array<Range, most_kept> keep_{};
  std::array<Addresses, most_kept> meet_{};
  Addresses own_;  // that rounds may come upon
};

}  // namespace lapwing::transfer
