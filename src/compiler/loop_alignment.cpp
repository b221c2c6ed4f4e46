// SPDX-License-Identifier: Apache-2.0
#include "compiler/loop_alignment.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

namespace lapwing::compiler {
namespace {

constexpr const char* alignment_name = "llvm.loop.align";
constexpr unsigned alignment = 64;  // bytes: a line of the instruction cache

bool is_for_speed(const llvm::Function& function) {
  return !function.isDeclaration() && !function.hasOptSize() && !function.hasOptNone() &&
         !function.hasFnAttribute(llvm::Attribute::Cold);
}

}  // namespace

void align_inner_loops(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!is_for_speed(function)) continue;
    const llvm::DominatorTree tree(function);
    const llvm::LoopInfo loops(tree);
    for (llvm::Loop* loop : loops.getLoopsInPreorder())
      if (loop->isInnermost() && !llvm::findStringMetadataForLoop(loop, alignment_name))
        llvm::addStringMetadataToLoop(loop, alignment_name, alignment);
  }
}

}  // namespace lapwing::compiler
