// SPDX-License-Identifier: Apache-2.0
#include "compiler/polls.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/emit.hpp"

namespace lapwing::compiler {

llvm::SmallVector<llvm::BasicBlock*, 4> loops_to_poll(llvm::ArrayRef<llvm::BasicBlock*> crossed,
                                                      const llvm::LoopInfo& loops,
                                                      const llvm::BasicBlock* home) {
  llvm::SmallVector<llvm::BasicBlock*, 4> latches;
  for (llvm::BasicBlock* block : crossed) {
    const llvm::Loop* loop = loops.getLoopFor(block);
    if (!loop || loop->getHeader() != block || loop->isInnermost() || loop->contains(home) ||
        !loop->getLoopLatch())
      continue;
    // Of a nest the one around the innermost loops: often enough, and seldom.
    bool around_innermost = false;
    for (const llvm::Loop* inner : loop->getSubLoops()) around_innermost |= inner->isInnermost();
    if (around_innermost) latches.push_back(loop->getLoopLatch());
  }
  return latches;
}

static bool polls(const llvm::BasicBlock& block) {
  return llvm::any_of(block, [](const llvm::Instruction& i) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    const auto* callee = call ? call->getCalledFunction() : nullptr;
    return callee && callee->getName() == "lapwing_poll";
  });
}

void add_polls(llvm::ArrayRef<llvm::BasicBlock*> latches) {
  for (llvm::BasicBlock* latch : latches) {
    // Another transfer's.
    if (llvm::any_of(llvm::predecessors(latch), [](const llvm::BasicBlock* b) { return polls(*b); }))
      continue;
    llvm::Module& module = *latch->getModule();
    llvm::LLVMContext& context = module.getContext();
    auto* number = llvm::Type::getInt32Ty(context);
    auto* type = llvm::StructType::get(context, {number, number, llvm::Type::getInt64Ty(context)});
    llvm::AllocaInst* loop = scratch(*latch->getParent(), type, "lapwing.loop");
    llvm::IRBuilder<> first(loop->getNextNode());
    first.CreateStore(first.getInt32(1), first.CreateStructGEP(type, loop, 0, "lapwing.left"));
    first.CreateStore(first.getInt32(1), first.CreateStructGEP(type, loop, 1));
    first.CreateStore(first.getInt64(0), first.CreateStructGEP(type, loop, 2));
    llvm::IRBuilder<> builder(latch->getTerminator());
    llvm::Value* left = builder.CreateStructGEP(type, loop, 0);
    llvm::Value* now = builder.CreateSub(builder.CreateLoad(number, left), builder.getInt32(1));
    builder.CreateStore(now, left);
    llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(
        builder.CreateICmpEQ(now, builder.getInt32(0), "lapwing.polls"), latch->getTerminator(), false,
        llvm::MDBuilder(context).createBranchWeights(1, 1000));
    llvm::IRBuilder<>(then).CreateCall(
        runtime_function(module, "lapwing_poll", builder.getVoidTy(), {loop->getType()}), {loop});
  }
}

}  // namespace lapwing::compiler
