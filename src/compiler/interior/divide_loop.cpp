// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/divide_loop.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace lapwing::compiler {
namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

// One copy: where it begins and turns, and the counters that each of its rounds needs.
struct Copy {
  BasicBlock* header;
  BasicBlock* latch;
  llvm::SmallVector<llvm::PHINode*, 4> counters;  // in the order of the loop's own
};

Copy copy_of(const llvm::Loop& loop) {
  Copy copy{loop.getHeader(), loop.getLoopLatch(), {}};
  for (llvm::PHINode& phi : loop.getHeader()->phis()) copy.counters.push_back(&phi);
  return copy;
}

Copy clone(const llvm::Loop& loop, const llvm::Twine& suffix, llvm::SmallVectorImpl<BasicBlock*>& blocks) {
  llvm::ValueToValueMapTy map;
  llvm::Function* function = loop.getHeader()->getParent();
  for (BasicBlock* block : loop.blocks()) {
    BasicBlock* made = llvm::CloneBasicBlock(block, map, suffix, function);
    map[block] = made;
    made->moveBefore(loop.getHeader());
    blocks.push_back(made);
  }
  llvm::remapInstructionsInBlocks(blocks, map);
  // A noalias scope holds for the rounds of one copy; each copy gets scopes of its own.
  llvm::SmallVector<llvm::MDNode*, 2> scopes;
  llvm::identifyNoAliasScopesToClone(loop.getBlocks(), scopes);
  llvm::cloneAndAdaptNoAliasScopes(scopes, blocks, function->getContext(), suffix.str());
  Copy copy{
      llvm::cast<BasicBlock>(map[loop.getHeader()]), llvm::cast<BasicBlock>(map[loop.getLoopLatch()]), {}};
  for (llvm::PHINode& phi : copy.header->phis()) copy.counters.push_back(&phi);
  return copy;
}

class Divider {
 public:
  Divider(const Nest& nest, llvm::BasicBlock* early, llvm::ScalarEvolution& scev,
          llvm::SCEVExpander& expander)
      : nest_(nest),
        scev_(scev),
        expander_(expander),
        own_(copy_of(*nest.loop)),
        before_(nest.loop->getLoopPreheader()),
        early_(early) {}

  // The value of each counter in a round.
  llvm::SmallVector<const llvm::SCEV*, 4> counters_at(const llvm::SCEV* round) {
    llvm::SmallVector<const llvm::SCEV*, 4> values;
    for (llvm::PHINode* phi : own_.counters)
      values.push_back(
          llvm::cast<llvm::SCEVAddRecExpr>(scev_.getSCEV(phi))->evaluateAtIteration(round, scev_));
    return values;
  }

  DividedLoop run(Value* begin, Value* end, Value* rounds) {
    DividedLoop made;
    llvm::Instruction* at = before_->getTerminator();
    llvm::Instruction* early = early_->getTerminator();
    BasicBlock* behind = early_->getSingleSuccessor();
    BasicBlock* exit = nest_.loop->getExitBlock();
    const auto at_begin = expand(counters_at(scev_.getUnknown(begin)), early);
    const auto at_end = expand(counters_at(scev_.getUnknown(end)), early);
    llvm::SmallVector<Value*, 4> at_first;
    for (llvm::PHINode* phi : own_.counters) at_first.push_back(phi->getIncomingValueForBlock(before_));

    llvm::SmallVector<BasicBlock*, 16> first_blocks;
    Copy interior = clone(*nest_.loop, ".interior", made.interior);
    Copy first = clone(*nest_.loop, ".first", first_blocks);
    BasicBlock* enter_interior = block("lapwing.interior", interior.header);
    BasicBlock* enter_first = block("lapwing.first", first.header);
    BasicBlock* ask_last = block("lapwing.has_last", own_.header);
    BasicBlock* enter_last = block("lapwing.last", own_.header);
    Value* zero = IRBuilder<>(at).getInt64(0);

    IRBuilder<> builder(early);
    builder.SetCurrentDebugLocation(nest_.loop->getStartLoc());
    builder.CreateCondBr(builder.CreateICmpSLT(begin, end), enter_interior, behind);
    early->eraseFromParent();
    run_copy(interior, enter_interior, at_begin, begin, end, behind);
    builder.SetInsertPoint(at);
    builder.CreateCondBr(builder.CreateICmpSGT(begin, zero), enter_first, ask_last);
    at->eraseFromParent();
    run_copy(first, enter_first, at_first, zero, begin, ask_last);
    builder.SetInsertPoint(ask_last);
    builder.CreateCondBr(builder.CreateICmpSLT(end, rounds), enter_last, exit);
    run_copy(own_, enter_last, at_end, end, rounds, exit);
    made.headers = {interior.header, first.header, own_.header};
    return made;
  }

 private:
  llvm::SmallVector<Value*, 4> expand(llvm::ArrayRef<const llvm::SCEV*> values, llvm::Instruction* at) {
    llvm::SmallVector<Value*, 4> made;
    for (std::size_t i = 0; i < values.size(); ++i)
      made.push_back(expander_.expandCodeFor(values[i], own_.counters[i]->getType(), at));
    return made;
  }

  static BasicBlock* block(const llvm::Twine& name, BasicBlock* before) {
    return BasicBlock::Create(before->getContext(), name, before->getParent(), before);
  }

  // The copy begins in `enter`, runs rounds [from, to), of which there is one at least, and goes on to
  // `next`.
  void run_copy(Copy& copy, BasicBlock* enter, llvm::ArrayRef<Value*> values, Value* from, Value* to,
                BasicBlock* next) {
    IRBuilder<> builder(enter);
    builder.SetCurrentDebugLocation(nest_.loop->getStartLoc());
    builder.CreateBr(copy.header);
    for (std::size_t i = 0; i < copy.counters.size(); ++i) {
      llvm::PHINode* phi = copy.counters[i];
      const int index = phi->getBasicBlockIndex(before_);
      phi->setIncomingBlock(static_cast<unsigned>(index), enter);
      phi->setIncomingValue(static_cast<unsigned>(index), values[i]);
    }
    builder.SetInsertPoint(copy.header, copy.header->begin());
    llvm::PHINode* round = builder.CreatePHI(builder.getInt64Ty(), 2, "lapwing.round");
    llvm::Instruction* turn = copy.latch->getTerminator();
    builder.SetInsertPoint(turn);
    Value* following = builder.CreateAdd(round, builder.getInt64(1), "", true, true);
    round->addIncoming(from, enter);
    round->addIncoming(following, copy.latch);
    llvm::BranchInst* branch = builder.CreateCondBr(builder.CreateICmpEQ(following, to), next, copy.header);
    branch->copyMetadata(*turn, {llvm::LLVMContext::MD_loop, llvm::LLVMContext::MD_dbg});
    turn->eraseFromParent();
  }

  const Nest& nest_;
  llvm::ScalarEvolution& scev_;
  llvm::SCEVExpander& expander_;
  Copy own_;
  BasicBlock* before_;
  BasicBlock* early_;
};

}  // namespace

bool can_be_divided(const Nest& nest, const BasicBlock& early, llvm::ScalarEvolution& scev,
                    llvm::SCEVExpander& expander) {
  const auto is_known = [&](const llvm::SCEV* value) {
    return scev.dominates(value, &early) && expander.isSafeToExpand(value);
  };
  if (!llvm::all_of(Divider(nest, nullptr, scev, expander).counters_at(nest.back_edges), is_known))
    return false;
  const llvm::DominatorTree dominators(*nest.loop->getHeader()->getParent());
  return llvm::all_of(nest.loop->blocks(), [&](const BasicBlock* block) {
    return llvm::all_of(*block, [&](const llvm::Instruction& i) {
      return llvm::all_of(i.operands(), [&](const llvm::Use& use) {
        const auto* operand = llvm::dyn_cast<llvm::Instruction>(use.get());
        const bool is_first = llvm::isa<llvm::PHINode>(i) && block == nest.loop->getHeader();
        return !operand || is_first || nest.loop->contains(operand) ||
               dominators.dominates(operand->getParent(), &early);
      });
    });
  });
}

DividedLoop divide_loop(const Nest& nest, BasicBlock& early, Value* begin, Value* end, Value* rounds,
                        llvm::ScalarEvolution& scev, llvm::SCEVExpander& expander) {
  return Divider(nest, &early, scev, expander).run(begin, end, rounds);
}

}  // namespace lapwing::compiler
