// SPDX-License-Identifier: Apache-2.0
// Remembers which rounds of a divided loop are put aside, as a look at its index lists has found.
//
// A loop in a loop comes here again and again, mostly with the same lists. Compiled code knows of every place
// of its function that may write to them, and says there that it does; what is not said to be written has not
// changed. So the division is remembered, together with all that it followed from: numbers, which must be
// equal, and the memory that was read, which must not have been written.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "transfer/compiled/rounds_left.hpp"

namespace lapwing::transfer {

/// Of one thread. `RoundsLeft::remembered` names what was remembered for that loop last: others than its own
/// thread, and other calls of its function, have other names.
class RememberedDivisions {
 public:
  /// A few loops, those that were come to last.
  static constexpr std::size_t most = 16;

  /// Whether the division of this loop is known, which may run early as `left` says and follows from
  /// `numbers`. Then `left` has it.
  bool recall(RoundsLeft& left, const long long* numbers, std::size_t count);
  /// The loop has been divided as `left` says. Of each of the `lists` the addresses that were read.
  void remember(RoundsLeft& left, const long long* numbers, std::size_t count, const Addresses* lists,
                std::size_t list_count);
  /// So many bytes are written: what was read there is not known any more.
  void written(RoundsLeft& left, std::uintptr_t first, std::uint64_t bytes);

 private:
  struct Division {
    long long name = 0;
    std::uint64_t used = 0;
    long long end = 0;  // of the early rounds, which a round may have stopped
    std::vector<long long> numbers;
    std::vector<Addresses> lists;
    std::vector<Rounds> aside;
  };
  Division* named(long long name);

  std::array<Division, most> all_{};
  std::uint64_t uses_ = 0;
};

}  // namespace lapwing::transfer
