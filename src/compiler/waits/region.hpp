// SPDX-License-Identifier: Apache-2.0
// What can be reached from a wait without passing anything that stops it.
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>

#include "compiler/waits/dependence_web.hpp"

namespace lapwing::compiler {

struct Stop {
  /// The wait is needed before this instruction...
  llvm::Instruction* at;
  /// ...because of this one: the same, or one in a loop that begins after `at`.
  llvm::Instruction* culprit;
  Reason reason;
};

struct Region {
  llvm::SmallVector<Stop, 8> stops;
  /// Blocks that are entered at their begin.
  llvm::SetVector<llvm::BasicBlock*> entered;
  /// A guess of what it is worth to cross all this; see worth_crossing.
  unsigned worth = 0;
};

/// Below this a transfer is left alone. An instruction counts one.
constexpr unsigned worth_crossing = 100;
constexpr unsigned worth_of_loop = 200;
constexpr unsigned worth_of_call = 100;

/// Where a walk begins, and where it must not go.
struct Walk {
  llvm::Instruction* from;                               ///< the first instruction that is crossed
  llvm::BasicBlock* home;                                ///< whose loops the walk may stay in
  llvm::SmallPtrSet<const llvm::Instruction*, 4> walls;  ///< paths end before these, without a stop
  const llvm::Loop* within = nullptr;  ///< leaving this loop, or its next round, ends a path
};

/// A loop that does not hold the wait, and in which anything stops it, is not
/// entered: a wait inside would be asked for in every round. A stop behind a failed
/// MPI call only does not count.
Region explore(const Walk& walk, Web& web, const llvm::LoopInfo& loops);

/// Whether the program itself computes between a start and the transfer's wait.
bool worth_between(const Transfer& transfer);

/// The first instruction after a call on its ordinary way; null where that is
/// not a place of its own (an invoke whose normal destination has other ways in).
llvm::Instruction* after(llvm::CallBase& call);

}  // namespace lapwing::compiler
