// SPDX-License-Identifier: Apache-2.0
// Where rounds of a loop might run: above the loop, in front of waits, or behind blocking calls.
#pragma once

#include "compiler/interior/way.hpp"

namespace lapwing::compiler {

/// Where rounds of a loop might run, and what they would overlap.
struct Position {
  llvm::Instruction* at = nullptr;                    ///< they would run before this
  llvm::SmallVector<llvm::CallBase*, 4> completions;  ///< the program's, between here and the loop
  llvm::CallBase* call = nullptr;                     ///< a blocking one right above
  /// Not every way to the loop leads through `at`: the others come in here, and have to be joined with it
  /// above (join_ways.hpp). Null where every way does.
  llvm::BasicBlock* below = nullptr;
  bool delays = false;  ///< a start between here and the loop, whose message would leave behind the rounds
};

/// Places above a loop from which its rounds would overlap waits, or what blocking calls have started; the
/// highest first. `resumed`: where a way begins of which loops have been divided before; none is above.
llvm::SmallVector<Position, 4> positions_above(llvm::Loop& loop, Analyses analyses,
                                               const llvm::SmallPtrSetImpl<llvm::BasicBlock*>& resumed);

}  // namespace lapwing::compiler
