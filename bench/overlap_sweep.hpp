// SPDX-License-Identifier: Apache-2.0
// Finds the hand-written version's best strip size, window and polling.
#pragma once

#include "overlap_runner.hpp"

namespace lapwing::bench {

/// Tries strips from 16 KiB to the whole message for the runner's setup, then
/// windows and polling for the best, for at most `limit_s` seconds (at least
/// the first few candidates are tried), `runs` times each. `likely` is tried first.
HandPlan best_hand_plan(Runner& runner, const Setup& setup, double limit_s, const HandPlan& likely, int runs);

}  // namespace lapwing::bench
