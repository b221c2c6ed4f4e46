// SPDX-License-Identifier: Apache-2.0
// A user's hints of how messages are to travel (HUNT, section 5.5): for a call site, for what one thread
// calls next, or for the job. A hint changes when bytes arrive and nothing else: not whether a message is
// deferred.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "transfer/wire/wire.hpp"

namespace lapwing::transfer {

struct Hints {
  static constexpr std::size_t most_bytes = INT_MAX;
  static constexpr std::uint32_t most_train = 1'000'000;

  std::optional<Direction> order;  ///< of strips
  std::uint32_t first = 0;         ///< bytes of the first strip; 0: not said, as in the next two
  std::uint32_t largest = 0;       ///< to which strips grow
  std::uint32_t train = 0;         ///< with that many messages on their way, further ones are not cut

  bool any() const { return order || first != 0 || largest != 0 || train != 0; }
  /// These, and of a weaker source what they leave open.
  Hints over(const Hints& weaker) const;
  /// "order=down first=64K", as in a file of hints.
  std::string text() const;
};

/// Of what the calling thread sends and receives from now on (lapwing_set_order and its kin).
Hints& hints_of_this_thread();

}  // namespace lapwing::transfer
