// SPDX-License-Identifier: Apache-2.0
// Who waits for ever, from what each says it waits for. Knows no messages.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "sets/check/waiting.hpp"

namespace lapwing::sets {

struct Stuck {
  bool waits = false;
  std::uint64_t epoch = 0;
  int clauses = 0;
  std::vector<Edge> edges;  ///< `unused` is set where the act has been done
};

/// The largest set of processes each of which has a clause that only members of
/// the set could make true. With `confirmed`, acts already done count.
std::set<int> stuck_ones(const std::map<int, Stuck>& known, bool confirmed);

/// Those of the stuck ones that wait for each other, not merely for them.
std::set<int> core_of(const std::map<int, Stuck>& known, const std::set<int>& stuck);

}  // namespace lapwing::sets
