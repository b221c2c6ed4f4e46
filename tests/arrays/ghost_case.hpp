// SPDX-License-Identifier: Apache-2.0
// Random updates of ghosts, and the local memory of each process before and after
// by definition: from one serial array, with maps that count (random_case.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "arrays/schedules/ghosts.hpp"

namespace lapwing::arrays::testing {

struct GhostCase {
  Distribution distribution;
  GhostUpdate update;

  [[nodiscard]] std::string describe() const;
};

/// Over some or all processes of a task of that size.
GhostCase random_ghost_case(std::mt19937_64& random, int tasks);

/// One process' memory. Every byte of an element follows from its index and the
/// turn; ghosts and padding are 0x55 before.
class GhostMemory {
 public:
  GhostMemory(const GhostCase& c, int rank) : case_(c), rank_(rank) {}

  /// The owned elements only.
  void fill(std::int64_t turn);
  /// Whether the ghosts that an update fills are filled, and nothing else has changed.
  [[nodiscard]] bool right() const { return memory_ == expected_; }
  /// How many elements an update fills.
  [[nodiscard]] std::int64_t ghosts() const { return ghosts_; }
  /// An element in its place: owned, or a ghost that an update fills.
  struct Known {
    std::int64_t offset;  ///< in local memory, in elements
    std::vector<std::int64_t> index;
    bool ghost;
  };
  [[nodiscard]] std::vector<Known> known() const;
  [[nodiscard]] std::byte* data() { return memory_.data(); }
  [[nodiscard]] std::int64_t elements() const { return elements_; }

 private:
  struct Cell {
    std::int64_t local;  ///< from the first owned element
    std::int64_t index;  ///< of the whole array; -1: outside
    bool ghost;
  };
  [[nodiscard]] std::vector<std::vector<Cell>> cells() const;

  const GhostCase& case_;
  int rank_;
  std::vector<std::byte> memory_, expected_;
  std::int64_t elements_ = 0, ghosts_ = 0;
};

}  // namespace lapwing::arrays::testing
