// SPDX-License-Identifier: Apache-2.0
// Orders in which a program that has come to its end would not have: MPI may choose them another time.
#pragma once

#include <vector>

#include "sets/orders/rerun.hpp"

namespace lapwing::sets {

/// Processes that wait for each other as soon as MPI does not buffer what they send: their acts, at least one
/// of them a standard send.
using UnsafeSends = std::vector<ActPlace>;

/// A receive from any source that could have taken another message.
struct Race {
  ActPlace receive, taken, other;
  std::vector<ActPlace>
      stuck;           ///< acts that then wait for ever; empty: the message is longer than its receive
  ActPlace too_short;  ///< this receive
};

/// Each set of calls once, at most `most` of them.
std::vector<UnsafeSends> find_unsafe_sends(const std::vector<Acts>& all, std::size_t most);

/// Receives whose process names the source that it got before the next collective call are left out: it may
/// follow MPI_SOURCE, and would then have named the other one; and so are calls that took messages of
/// different tags, whose process may follow MPI_TAG. Looks at a bounded number of orders.
std::vector<Race> find_races(const std::vector<Acts>& all, std::size_t most);

}  // namespace lapwing::sets
