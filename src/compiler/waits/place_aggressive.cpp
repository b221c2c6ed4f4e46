// SPDX-License-Identifier: Apache-2.0
// Algorithm 2 of Das 3.3, corrected; see docs/design.md.
//
// Das sinks out of a loop to the exit of the ancestor interval. Here a
// wait goes on to the first dependence outside, or to the entry of the loop that
// holds it: the same place where the two meet, and a later one where they do
// not.
#include "compiler/waits/place.hpp"
#include "compiler/waits/versioned_calls.hpp"

namespace lapwing::compiler {
namespace {

constexpr std::size_t most_places = 12;
// Programs that check every error leave their functions behind each call.
constexpr std::size_t most_places_behind_failures = 60;

bool are_too_many(const llvm::SmallVectorImpl<Stop>& stops) {
  std::size_t behind = 0;
  for (const Stop& stop : stops) behind += is_after_failure(*stop.at->getParent());
  return stops.size() - behind > most_places || behind > most_places_behind_failures;
}

}  // namespace

std::optional<Placement> place_aggressively(Transfer& transfer, Memory& memory, EffectsOf& effects,
                                            const Flow& flow) {
  llvm::Instruction* from = after(*transfer.call);
  if (!from) return {};
  const Walk walk{from, from->getParent(), {}, nullptr};
  const auto reaches_start = [&](const Region& region) {
    for (const Stop& stop : region.stops)
      if (transfer.is_start(*stop.at)) return true;
    return false;
  };
  Region region;
  {
    Web web(transfer, memory, effects);
    region = explore(walk, web, flow.loops);
  }
  // Only sends may share their buffer, and only a token can be queued.
  if (transfer.shape == Shape::send && reaches_start(region)) {
    transfer.queued = true;
    Web web(transfer, memory, effects);
    Region longer = explore(walk, web, flow.loops);
    if (reaches_start(longer)) {
      transfer.queued = false;
    } else {
      region = std::move(longer);
    }
  }
  if (region.stops.empty() || are_too_many(region.stops)) {
    transfer.queued = false;
    return {};
  }
  Placement placement;
  placement.points = std::move(region.stops);
  placement.worth = region.worth;
  placement.crossed.assign(region.entered.begin(), region.entered.end());

  return placement;
}

}  // namespace lapwing::compiler
