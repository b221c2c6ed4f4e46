// SPDX-License-Identifier: Apache-2.0
// The schedule of a ghost update: which neighbours hold the elements that belong
// into the ghost layers of a process, and which of its own ones they want. Each
// process finds both from the distribution alone, and pays for its partners only.
#pragma once

#include <string>
#include <vector>

#include "arrays/schedules/schedule.hpp"

namespace lapwing::arrays {

/// Which ghosts are filled, or added, besides how many layers there are.
struct GhostUpdate {
  /// Ghosts beside the owned elements in more than one dimension too.
  bool corners = true;
  /// The other way: ghosts go to their owners, which add them to what they have.
  bool adds = false;
  /// Of each dimension: what lies before its first element is its last one. Empty:
  /// of none; ghosts outside the array then stay as they are.
  std::vector<bool> periodic;

  [[nodiscard]] bool wraps(std::size_t dimension) const {
    return dimension < periodic.size() && periodic[dimension];
  }
  /// Equal for equal updates.
  [[nodiscard]] std::string key() const;

  bool operator==(const GhostUpdate&) const = default;
};

/// Why the ghosts of this array cannot be updated so, in a sentence; empty where
/// they can. A dimension with ghosts must be in one block on each process.
std::string validate(const GhostUpdate& update, const Distribution& distribution);

/// One process's half of filling ghosts; of adding them it is the other half. The pieces for one partner come
/// in the order of the places that they have at the receiver, so that both sides list them alike.
Schedule ghost_schedule(Schedule::Way way, const Distribution& distribution, const GhostUpdate& update,
                        int rank);

}  // namespace lapwing::arrays
