// SPDX-License-Identifier: Apache-2.0
// How one message is to travel (HUNT, section 5.3).
#include <algorithm>
#include <climits>

#include "transfer/engine.hpp"

namespace lapwing::transfer {

// Strips for receivers that are known to compute something else meanwhile.
constexpr std::size_t coarse_first = 64 << 10, coarse_largest = 256 << 10;

bool Engine::never_strips(int destination) const {
  return settings_.defer == Defer::off ||
         (settings_.defer == Defer::automatic && is_local(destination) && !spare_core_);
}

Decision Engine::decide(Site& site, std::size_t bytes, int destination, bool agreed) {
  Decision decision;
  const std::size_t middle = bytes > 2 * edge_bytes ? bytes - 2 * edge_bytes : 0;
  const Hints& called = hints_of_this_thread();
  const Hints hints = called.over(site.hints).over(site.told);
  const Direction direction = hints.order                      ? *hints.order
                              : settings_.order == Order::up   ? Direction::up
                              : settings_.order == Order::down ? Direction::down
                                                               : site.direction;
  const machine::Thresholds& sizes = sizes_to(destination);
  if (never_strips(destination) || bytes < sizes.guard || bytes > INT_MAX || destination == world_rank_ ||
      !(agreed || governor_->strips(destination))) {
    return decision;
  }
  site.hinted |= hints.any();
  site.by_call |= called.any();
  // With this many messages on their way out, the later ones are hidden behind
  // the earlier ones anyway: they are deferred whole, without decomposition.
  const std::size_t train = hints.train != 0 ? hints.train : settings_.train;
  const bool whole = bytes < sizes.strip || outgoing_.size() >= train;
  decision.stripped = true;
  const bool coarse = !settings_.strips_given && site.grain.coarse();
  const std::size_t first = hints.first != 0 ? hints.first
                            : coarse         ? std::max(sizes.first, coarse_first)
                                             : sizes.first;
  const std::size_t grown = hints.largest != 0 ? hints.largest
                            : coarse           ? std::max(settings_.strip_largest, coarse_largest)
                                               : settings_.strip_largest;
  const std::size_t largest = std::max(first, grown);
  decision.plan =
      whole ? StripPlan(bytes, middle, middle, direction) : StripPlan(bytes, first, largest, direction);
  return decision;
}

}  // namespace lapwing::transfer
