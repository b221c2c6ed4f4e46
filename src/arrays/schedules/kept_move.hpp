// SPDX-License-Identifier: Apache-2.0
// A small piece that is moved again and again, as persistent transfers do:
// finding its runs costs more than copying them, so they are kept.
#pragma once

#include <cstdint>
#include <vector>

#include "arrays/schedules/mover.hpp"

namespace lapwing::arrays {

class KeptMove {
 public:
  /// As pack(), unpack() and copy_between() of whole pieces: a null piece is the
  /// dense wire. The pieces outlive this.
  KeptMove(const Piece* source, const Piece* destination);

  /// To or from the beginning of the wire, or between two allocations.
  void move(const void* source, void* destination) const;

 private:
  const Piece *source_, *destination_;
  std::vector<Mover::Run> runs_;  // empty: the piece is converted, or has too many
};

}  // namespace lapwing::arrays
