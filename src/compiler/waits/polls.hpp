// SPDX-License-Identifier: Apache-2.0
// Progress from the program's own loops: long ones that a transfer crosses poll.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Analysis/LoopInfo.h>

namespace llvm {
class DominatorTree;
}

namespace lapwing::compiler {

/// Before the branch back of each loop its rounds are counted down and, at 0, stands a call
/// (lapwing_loop). Innermost loops are left alone: they are to be vectorised. `first_rounds`:
/// before the first call.
void add_polls(llvm::ArrayRef<llvm::BasicBlock*> latches, unsigned first_rounds = 1);

/// The latches of those loops whose header the region enters.
llvm::SmallVector<llvm::BasicBlock*, 4> loops_to_poll(llvm::ArrayRef<llvm::BasicBlock*> crossed,
                                                      const llvm::LoopInfo& loops,
                                                      const llvm::DominatorTree& dominators,
                                                      const llvm::BasicBlock* home);
/// Of a whole function.
llvm::SmallVector<llvm::BasicBlock*, 4> loops_to_poll(const llvm::LoopInfo& loops,
                                                      const llvm::DominatorTree& dominators);

}  // namespace lapwing::compiler
