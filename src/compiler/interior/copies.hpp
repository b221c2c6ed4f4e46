// SPDX-License-Identifier: Apache-2.0
// Copies of a loop.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace lapwing::compiler {

/// Its blocks, in the same order, in front of its header; they branch to each other and to where the loop is
/// left, and no way leads to them yet. `map`: from the loop's values to theirs.
void copy_blocks(const llvm::Loop& loop, const llvm::Twine& suffix,
                 llvm::SmallVectorImpl<llvm::BasicBlock*>& blocks, llvm::ValueToValueMapTy& map);

}  // namespace lapwing::compiler
