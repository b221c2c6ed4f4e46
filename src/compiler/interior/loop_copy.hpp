// SPDX-License-Identifier: Apache-2.0
// A copy of a loop of which certain rounds run.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/interior/copies.hpp"
#include "compiler/interior/sums.hpp"

namespace lapwing::compiler {

/// One copy: where it begins and turns, and the counters that each of its rounds needs.
struct Copy {
  llvm::BasicBlock* header;
  llvm::BasicBlock* latch;
  llvm::SmallVector<llvm::PHINode*, 4> counters;  // in the order of the loop's own
};

/// The loop itself, as one of the copies.
Copy copy_of(const llvm::Loop& loop, const Sums& sums);
Copy clone(const llvm::Loop& loop, const llvm::Twine& suffix,
           llvm::SmallVectorImpl<llvm::BasicBlock*>& blocks, llvm::ValueToValueMapTy& map);

llvm::BasicBlock* block(const llvm::Twine& name, llvm::BasicBlock* before);

/// `rounds` steps from `first` on.
llvm::Value* moved(llvm::Value* first, llvm::Value* step, llvm::Value* rounds, llvm::IRBuilder<>& builder);

/// The number of a round.
llvm::PHINode* round_of(llvm::BasicBlock* header);
/// It counts from `from`, in `enter`, up to `to`, where the loop goes on to `next`.
void run_rounds(llvm::PHINode* round, llvm::BasicBlock* enter, llvm::BasicBlock* latch,
                llvm::BasicBlock* header, llvm::Value* from, llvm::Value* to, llvm::BasicBlock* next);

/// A loop inside a loop that is copied, of which each copy runs rounds of its own.
class LoopInside {
 public:
  static bool can_be_set(const llvm::Loop& loop, llvm::ScalarEvolution& scev, llvm::SCEVExpander& expander);
  /// All is known at `early`. Before anything is copied.
  LoopInside(llvm::Loop& loop, llvm::ScalarEvolution& scev, llvm::SCEVExpander& expander,
             llvm::Instruction& early);
  /// Its copy by this map runs rounds [from, to), of which there is one at least.
  void run(llvm::ValueToValueMapTy& map, llvm::Value* from, llvm::Value* to) const;

 private:
  llvm::BasicBlock *before_, *header_, *latch_, *exit_;
  llvm::SmallVector<std::pair<llvm::PHINode*, llvm::Value*>, 4> steps_;  // of each counter
};

}  // namespace lapwing::compiler
