// SPDX-License-Identifier: Apache-2.0
// In which rounds of the loops around them two accesses meet.
//
// The distance between the two addresses is a sum: for each loop, the number of its round times the bytes
// that a round moves one of the two. Rows, columns and planes of an array are found apart exactly: the
// largest steps are tried first, and few of their rounds are left once all smaller steps together reach no
// further.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lapwing::transfer {

class Meetings {
 public:
  /// Rounds [low, high] of one loop, each of which moves the distance by `by` bytes, or, behind find(), those
  /// of them in which the two may meet.
  struct Turns {
    std::int64_t by = 0, low = 0, high = 0;
  };
  static constexpr std::size_t most = 8;

  /// They meet where `begin` < distance < `end`; the distance of all first rounds is `first`.
  Meetings(std::int64_t first, std::int64_t begin, std::int64_t end)
      : first_(first), begin_(begin), end_(end) {}

  /// Returns its index in found(). All distances must fit in 63 bits.
  std::size_t add(const Turns& turns);
  /// Another loop, which moves the second of the two accesses by `by` in `back_edges` further rounds: it
  /// makes steps of a loop that is there already, where these are of the same length; else it is one of its
  /// own. Of the loops that are there, those from `from` on are looked at.
  void add_against(std::int64_t by, std::int64_t back_edges, std::size_t from);

  std::size_t count() const { return count_; }

  /// Whether they may meet at all. Never false where they do; true where they do not only after many tries.
  bool find();
  /// Of the loop with this index, not less than the rounds in which they meet. Only behind a find() that was
  /// true.
  Turns found(std::size_t index) const;

 private:
  struct Loop {
    Turns all, met;
    std::int64_t down = 0, up = 0;  // the steps of the second access that were added to it
  };
  bool find_from(std::size_t place, std::int64_t distance);
  void note(std::size_t place, std::int64_t low, std::int64_t high);

  std::int64_t first_, begin_, end_;
  std::array<Loop, most> loops_{};
  std::array<std::size_t, most> order_{};  // by length of step, the longest first; without those of no length
  std::array<std::int64_t, most + 1> lowest_{},
      highest_{};  // the way that all loops from a place on can make
  std::size_t count_ = 0, moving_ = 0;
  int tries_ = 0;
};

}  // namespace lapwing::transfer
