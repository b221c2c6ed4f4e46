// SPDX-License-Identifier: Apache-2.0
// Where a wait is put: before which instructions.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>

#include <optional>

#include "compiler/waits/region.hpp"

namespace lapwing::compiler {

struct Flow {
  const llvm::DominatorTree& dominators;
  const llvm::PostDominatorTree& post_dominators;
  const llvm::LoopInfo& loops;
};

struct Placement {
  llvm::SmallVector<Stop, 8> points;  ///< a wait stands before each `at`
  unsigned worth = 0;                 ///< of what is crossed
  llvm::SmallVector<llvm::BasicBlock*, 16> crossed;
};

/// Algorithm 1: one place, in the wait's own loop, that every way from the wait
/// passes. Empty if there is none but its own.
std::optional<Placement> place_conservatively(const Transfer& transfer, Web& web, const Flow& flow);

/// Algorithm 2: before each stop, in whatever loop. Sets `transfer.queued` where
/// the start is reached again before anything else stops the wait.
std::optional<Placement> place_aggressively(Transfer& transfer, Memory& memory, EffectsOf& effects,
                                            const Flow& flow);

/// Whether no stop is reached from the wait but behind one of the places. Asked
/// of every placement before anything is changed.
bool covers(const Placement& placement, const Transfer& transfer, Web& web, const Flow& flow);

}  // namespace lapwing::compiler
