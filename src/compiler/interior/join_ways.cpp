// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/join_ways.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

namespace lapwing::compiler {

using llvm::BasicBlock;
using llvm::Instruction;

namespace {

// Values of the one way that its last part uses. On the other ways that does not run: any value will do.
void carry_over(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  llvm::SmallVector<Instruction*, 64> all;
  for (Instruction& i : llvm::instructions(function)) all.push_back(&i);
  for (Instruction* value : all) {
    if (value->getType()->isVoidTy() || !dominators.isReachableFromEntry(value->getParent())) continue;
    llvm::SmallVector<llvm::Use*, 4> lost;
    for (llvm::Use& use : value->uses())
      if (!dominators.dominates(value, use)) lost.push_back(&use);
    if (lost.empty()) continue;
    // A call that may throw has its value where it returns, and none where it throws.
    BasicBlock* from = value->getParent();
    if (auto* call = llvm::dyn_cast<llvm::InvokeInst>(value)) {
      BasicBlock* returned = call->getNormalDest();
      from = returned->getSinglePredecessor() ? returned : llvm::SplitEdge(from, returned, &dominators);
    }
    llvm::SSAUpdater updater;
    updater.Initialize(value->getType(), value->getName());
    updater.AddAvailableValue(&function.getEntryBlock(), llvm::Constant::getNullValue(value->getType()));
    updater.AddAvailableValue(from, value);
    for (llvm::Use* use : lost) updater.RewriteUse(*use);
  }
}

}  // namespace

Instruction* join_ways(Instruction& at, BasicBlock& below) {
  BasicBlock* above = at.getParent();
  llvm::Function& function = *above->getParent();
  const llvm::DominatorTree dominators(function);
  llvm::SmallSetVector<BasicBlock*, 4> others;
  for (BasicBlock* before : llvm::predecessors(&below))
    if (!dominators.dominates(above, before)) others.insert(before);
  BasicBlock* last = llvm::SplitBlock(above, &at);
  BasicBlock* joined = llvm::SplitBlockPredecessors(&below, others.getArrayRef(), ".joined");
  for (llvm::PHINode& phi : joined->phis())
    phi.addIncoming(llvm::Constant::getNullValue(phi.getType()), above);
  llvm::IRBuilder<> builder(joined, joined->begin());
  llvm::PHINode* goes_on = builder.CreatePHI(builder.getInt1Ty(), others.size() + 1, "lapwing.goes_on");
  for (BasicBlock* before : llvm::predecessors(joined)) goes_on->addIncoming(builder.getFalse(), before);
  goes_on->addIncoming(builder.getTrue(), above);
  above->getTerminator()->replaceSuccessorWith(last, joined);
  Instruction* question = joined->getTerminator();
  builder.SetInsertPoint(question);
  builder.SetCurrentDebugLocation(at.getDebugLoc());
  Instruction* made = builder.CreateCondBr(goes_on, last, &below);
  question->eraseFromParent();
  carry_over(function);
  return made;
}

}  // namespace lapwing::compiler
