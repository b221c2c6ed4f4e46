// SPDX-License-Identifier: Apache-2.0
// Makes the values that a loop carries from round to round readable for scalar evolution. LLVM's GVN computes
// the next value of an outer loop's counter on each of the ways through the loop's body where one of them
// needs it, and merges the results; and it keeps for the next round what this one has loaded.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

#include "compiler/waits/dependence_web.hpp"

namespace llvm {
class ScalarEvolution;
}

namespace lapwing::compiler {

/// Computes a counter that is merged from equal results where they are merged. Whether anything was changed.
bool merge_counters(const llvm::LoopInfo& loops);

/// Loads again in each round what was kept from the rounds before, if then nothing but counters goes from
/// round to round. Whether anything was changed.
bool load_again(const llvm::Loop& loop, llvm::ScalarEvolution& scev, Memory& memory, EffectsOf& effects);

}  // namespace lapwing::compiler
