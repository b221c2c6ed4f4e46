// SPDX-License-Identifier: Apache-2.0
// Which rounds of a loop, and of the loops inside it, may run while messages travel.
//
// Compiled code describes the memory that each round of a loop touches, and the memory that is in flight, as
// ranges of addresses that move evenly from round to round. From these follows whether the rounds may run in
// any order, and which of them touch nothing that is in flight. A grid of which a row and a column are in
// flight has rows that touch nothing of the one, and in each row rounds that touch nothing of the other: a
// box.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lapwing::transfer {

/// Memory as compiled code names it: `bytes` from `first` on; `by` more in each round of the divided loop,
/// and `steps[i].by` more in each of the `steps[i].back_edges` further rounds of a loop inside. The first
/// steps are those of the loops inside that are divided as well, whether they move this access or not.
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

/// The divided loop and two loops inside.
inline constexpr std::size_t most_divided_loops = 3;

/// Rounds of the divided loop, and of each loop inside that is divided as well.
using Box = std::array<Rounds, most_divided_loops>;

class InteriorRange {
 public:
  /// `back_edges`: the rounds of the loop, less one.
  void begin(std::uint64_t back_edges);
  /// A loop inside may be divided as well, the next one inwards: it runs equally often in each round, and all
  /// that is written is written in its rounds. Before all accesses.
  void inside(std::uint64_t back_edges);
  /// Each round touches this memory.
  void access(const AffineAccess& a);
  /// This memory is in flight: received if it `writes`, then no round inside may touch it; else no round
  /// inside may write it. `by` means nothing.
  void keep(const AffineAccess& a);
  /// A number, `first`, that moves as an access does, must fit in so many bits in all rounds; with a sign if
  /// they are positive. Else nothing of what is said here is true.
  void fit(const AffineAccess& a, std::int64_t bits);
  /// The most rounds found that may run at once, before all others and in any order; the first side is empty
  /// if there are none. Of a loop inside that is not divided, all rounds. If rounds may come upon what others
  /// write, the first ones.
  Box find() const;
  /// Ranges that hold all memory that was `met`, in any round: two of what is kept, one of the other
  /// accesses. Each may be empty.
  std::array<Addresses, 3> avoided() const;

 private:
  // Memory of the first round, and of all rounds together.
  struct Range {
    AffineAccess access;
    std::int64_t low = 0, high = 0;
    std::int64_t lowest = 0, highest = 0;
    std::int64_t first() const { return static_cast<std::int64_t>(access.first); }
    std::int64_t bytes() const { return static_cast<std::int64_t>(access.bytes); }
    std::int64_t by(std::size_t loop) const { return loop == 0 ? access.by : access.steps[loop - 1].by; }
  };
  static constexpr std::size_t most = 64, most_kept = 128;

  bool resolve(const AffineAccess& a, std::int64_t by, Range* range) const;
  bool extend(const AffineAccess& a, std::int64_t by, Range* range) const;
  bool are_independent(const Range& a, const Range& b, std::size_t divided) const;
  bool are_independent(std::size_t divided) const;
  bool is_written_beside(std::size_t index) const;
  bool leave_out(const Range& a, const Range& kept, std::size_t divided, Box* box) const;

  std::array<std::int64_t, most_divided_loops> rounds_{};
  std::size_t loops_ = 0;  // that may be divided
  bool sound_ = false;
  std::size_t accesses_ = 0, kept_ = 0, met_ = 0;
  std::array<Range, most> access_{};
  std::array<Range, most_kept> keep_{};
  std::array<Addresses, most_kept> meet_{};
  Addresses own_;  // that rounds may come upon
};

}  // namespace lapwing::transfer
