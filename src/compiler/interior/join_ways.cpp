// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/join_ways.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

#include "compiler/interior/settled.hpp"

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

static bool only_ends_lives(const BasicBlock& block) {
  const auto* end = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  return end && end->isUnconditional() && end->getSuccessor(0) != &block &&
         !end->getMetadata(llvm::LLVMContext::MD_loop) && !llvm::isa<llvm::PHINode>(block.front()) &&
         &block.front() != end && llvm::all_of(block, [&](const Instruction& i) {
           return &i == end || ends_life(i) || llvm::isa<llvm::DbgInfoIntrinsic>(i);
         });
}

bool part_ends_of_lives(llvm::Function& function) {
  bool changed = false;
  for (BasicBlock& block : llvm::make_early_inc_range(function)) {
    BasicBlock* next = block.getSingleSuccessor();
    if (!next || !next->hasNPredecessorsOrMore(2) || !only_ends_lives(block)) continue;
    llvm::SmallSetVector<BasicBlock*, 4> ways;
    for (BasicBlock* before : llvm::predecessors(&block)) ways.insert(before);
    const bool all_branch = llvm::all_of(
        ways, [](const BasicBlock* before) { return llvm::isa<llvm::BranchInst>(before->getTerminator()); });
    if (ways.size() < 2 || !all_branch) continue;
    for (BasicBlock* before : ways.getArrayRef().drop_front()) {
      llvm::ValueToValueMapTy none;
      BasicBlock* own = llvm::CloneBasicBlock(&block, none, "", &function);
      before->getTerminator()->replaceSuccessorWith(&block, own);
      for (llvm::PHINode& phi : next->phis()) phi.addIncoming(phi.getIncomingValueForBlock(&block), own);
    }
    changed = true;
  }
  return changed;
}

}  // namespace lapwing::compiler
