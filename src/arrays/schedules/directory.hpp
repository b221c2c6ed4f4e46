// SPDX-License-Identifier: Apache-2.0
// Index lists meet in a directory, a block of the index space on each process (as PETSc's and YAXT's do): no
// process sees more than its own lists, its block, and what concerns its own elements.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "arrays/schedules/chunks.hpp"
#include "arrays/schedules/folder.hpp"

namespace lapwing::arrays {

/// Block `number` of `blocks` equal ones of 0 ... count - 1 begins here.
std::int64_t block_begin(std::int64_t count, std::int64_t blocks, std::int64_t number);

/// One block, of one dimension of both sides of a transfer.
class Directory {
 public:
  enum Side : std::uint8_t { source = 0, destination = 1 };

  /// A coordinate of a side holds these; said again, they count once.
  void hold(Side side, int coordinate, Indices indices) {
    held_[side].emplace(coordinate, std::move(indices));
  }
  /// After all have said it: the elements that each pair of coordinates shares.
  void meet();
  /// With each coordinate of the other side.
  [[nodiscard]] std::vector<std::pair<int, const Indices*>> shared(Side side, int coordinate) const;

 private:
  [[nodiscard]] bool by_chunks() const;
  void meet_families();
  void meet_chunks();

  std::map<int, Indices> held_[2];
  std::map<std::pair<int, int>, Indices> shared_;  ///< by the source's and the destination's coordinate
  std::map<int, std::vector<std::pair<int, const Indices*>>>
      of_[2];  ///< the same, by the coordinate of a side
};

/// Of a block [low, high): the lowest index that no coordinate holds, the lowest one that two hold, and
/// which; -1: there is none.
struct Coverage {
  std::int64_t missing = -1, repeated = -1;
  int first = -1, second = -1;
};
Coverage coverage(const std::map<int, Indices>& held, std::int64_t low, std::int64_t high);

}  // namespace lapwing::arrays
