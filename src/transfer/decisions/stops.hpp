// SPDX-License-Identifier: Apache-2.0
// Stops of the program's threads at pages that are only watched: their bytes are there already.
#pragma once

#include <cstdint>
#include <optional>

#include "guard/guard.hpp"

namespace lapwing::transfer {

/// A thread waits for [from, to).
struct Stop {
  const char *from, *to;
  /// False where further threads have stopped meanwhile. A region names one place at a time, so the places
  /// of the earlier ones are not known.
  bool alone;
};

/// Of one region. Calls under the engine's lock.
class Stops {
 public:
  /// The newest stop that has not been returned yet.
  std::optional<Stop> next(const guard::Region& region) {
    const std::uint32_t faults = region.faults.load();
    if (faults == answered_) return std::nullopt;
    const bool alone = faults == answered_ + 1;
    answered_ = faults;
    return Stop{reinterpret_cast<const char*>(region.wanted_from.load()),
                reinterpret_cast<const char*>(region.wanted_to.load()), alone};
  }

 private:
  std::uint32_t answered_ = 0;
};

}  // namespace lapwing::transfer
