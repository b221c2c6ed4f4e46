// SPDX-License-Identifier: Apache-2.0
#include "entry/gain.hpp"

#include "mpi/launch.hpp"
#include "progress/cores.hpp"

namespace lapwing::entry {

bool nothing_to_gain(const transfer::Settings& settings) {
  if (settings.defer != transfer::Defer::automatic || !settings.pages.empty()) return false;
  if (settings.assumes_free_core()) return false;
  const int ranks = mpi::ranks_on_one_node();
  return ranks == 1 || (ranks > 0 && progress::cores_of_node() <= ranks);
}

}  // namespace lapwing::entry
