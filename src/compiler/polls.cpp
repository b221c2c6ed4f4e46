// SPDX-License-Identifier: Apache-2.0
#include "compiler/polls.hpp"

#include <llvm/IR/Module.h>

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

void add_polls(llvm::ArrayRef<llvm::BasicBlock*> latches) {
  for (llvm::BasicBlock* latch : latches) {
    for (llvm::Instruction& i : *latch) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
      const auto* callee = call ? call->getCalledFunction() : nullptr;
      if (callee && callee->getName() == "lapwing_poll") return;
    }
    llvm::Module& module = *latch->getModule();
    llvm::IRBuilder<> builder(latch->getTerminator());
    llvm::Constant* wanted = module.getOrInsertGlobal("lapwing_wants_polls", builder.getInt32Ty());
    llvm::Value* now = builder.CreateLoad(builder.getInt32Ty(), wanted, "lapwing.wants_polls");
    emit_if(builder.CreateICmpNE(now, builder.getInt32(0)), latch->getTerminator(),
            [&](llvm::IRBuilder<>& inside) {
              inside.CreateCall(runtime_function(module, "lapwing_poll", inside.getVoidTy(), {}));
            });
  }
}

}  // namespace lapwing::compiler
