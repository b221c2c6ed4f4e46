// SPDX-License-Identifier: Apache-2.0
// From which sizes on messages are deferred and decomposed, by the kind of their destination.
#pragma once

#include <optional>
#include <string>

#include "guard/guard.hpp"
#include "machine/costs.hpp"
#include "transfer/settings.hpp"

namespace lapwing::transfer {

/// The records of the profile that hold for this process: its machine, its MPI and its transport.
struct KnownCosts {
  std::optional<machine::Costs> node, network;
  // Sentences without their full stop, or empty.
  std::string unreadable;                 ///< the profile could not be used at all
  std::string node_other, network_other;  ///< it has records of this link, and none of them holds here
};

/// Reads the profile that the settings name. Makes no call that communicates.
KnownCosts known_costs(const Settings& settings);

/// The sizes for one kind of destination: those of the costs, or the defaults where there are none; over
/// both, those that the user has given. `spare_core`: this node has a core for the helper.
machine::Thresholds sizes_for(const Settings& settings, const std::optional<machine::Costs>& costs,
                              guard::Backend backend, bool same_node, bool spare_core);

}  // namespace lapwing::transfer
