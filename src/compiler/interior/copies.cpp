// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/copies.hpp"

#include <llvm/Transforms/Utils/Cloning.h>

namespace lapwing::compiler {

void copy_blocks(const llvm::Loop& loop, const llvm::Twine& suffix,
                 llvm::SmallVectorImpl<llvm::BasicBlock*>& blocks, llvm::ValueToValueMapTy& map) {
  llvm::Function* function = loop.getHeader()->getParent();
  for (llvm::BasicBlock* block : loop.blocks()) {
    llvm::BasicBlock* made = llvm::CloneBasicBlock(block, map, suffix, function);
    map[block] = made;
    made->moveBefore(loop.getHeader());
    blocks.push_back(made);
  }
  llvm::remapInstructionsInBlocks(blocks, map);
  // A noalias scope holds for the rounds of one copy; each copy gets scopes of its own.
  llvm::SmallVector<llvm::MDNode*, 2> scopes;
  llvm::identifyNoAliasScopesToClone(loop.getBlocks(), scopes);
  llvm::cloneAndAdaptNoAliasScopes(scopes, blocks, function->getContext(), suffix.str());
}

}  // namespace lapwing::compiler
