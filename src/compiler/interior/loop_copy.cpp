// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/loop_copy.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

namespace lapwing::compiler {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

namespace {

const llvm::SCEV* step_of(llvm::PHINode& phi, llvm::ScalarEvolution& scev) {
  return llvm::cast<llvm::SCEVAddRecExpr>(scev.getSCEV(&phi))->getOperand(1);
}

}  // namespace

Copy copy_of(const llvm::Loop& loop, const Sums& sums) {
  Copy copy{loop.getHeader(), loop.getLoopLatch(), {}};
  for (llvm::PHINode& phi : loop.getHeader()->phis())
    if (!sums.parts.contains(&phi)) copy.counters.push_back(&phi);
  return copy;
}

Copy clone(const llvm::Loop& loop, const llvm::Twine& suffix, llvm::SmallVectorImpl<BasicBlock*>& blocks,
           llvm::ValueToValueMapTy& map) {
  copy_blocks(loop, suffix, blocks, map);
  Copy copy{
      llvm::cast<BasicBlock>(map[loop.getHeader()]), llvm::cast<BasicBlock>(map[loop.getLoopLatch()]), {}};
  for (llvm::PHINode& phi : copy.header->phis()) copy.counters.push_back(&phi);
  return copy;
}

BasicBlock* block(const llvm::Twine& name, BasicBlock* before) {
  return BasicBlock::Create(before->getContext(), name, before->getParent(), before);
}

Value* moved(Value* first, Value* step, Value* rounds, IRBuilder<>& builder) {
  Value* way = builder.CreateMul(builder.CreateSExtOrTrunc(rounds, step->getType()), step);
  return first->getType()->isPointerTy() ? builder.CreateGEP(builder.getInt8Ty(), first, way)
                                         : builder.CreateAdd(first, way);
}

llvm::PHINode* round_of(BasicBlock* header) {
  IRBuilder<> builder(header, header->begin());
  return builder.CreatePHI(builder.getInt64Ty(), 2, "lapwing.round");
}

void run_rounds(llvm::PHINode* round, BasicBlock* enter, BasicBlock* latch, BasicBlock* header, Value* from,
                Value* to, BasicBlock* next) {
  llvm::Instruction* turn = latch->getTerminator();
  IRBuilder<> builder(turn);
  Value* following = builder.CreateAdd(round, builder.getInt64(1), "", true, true);
  round->addIncoming(from, enter);
  round->addIncoming(following, latch);
  llvm::BranchInst* branch = builder.CreateCondBr(builder.CreateICmpEQ(following, to), next, header);
  branch->copyMetadata(*turn, {llvm::LLVMContext::MD_loop, llvm::LLVMContext::MD_dbg});
  turn->eraseFromParent();
}

bool LoopInside::can_be_set(const llvm::Loop& loop, llvm::ScalarEvolution& scev,
                            llvm::SCEVExpander& expander) {
  return llvm::all_of(loop.getHeader()->phis(), [&](llvm::PHINode& phi) {
    return !is_even_counter(phi, loop, scev) || expander.isSafeToExpand(step_of(phi, scev));
  });
}

LoopInside::LoopInside(llvm::Loop& loop, llvm::ScalarEvolution& scev, llvm::SCEVExpander& expander,
                       llvm::Instruction& early)
    : before_(loop.getLoopPreheader()),
      header_(loop.getHeader()),
      latch_(loop.getLoopLatch()),
      exit_(loop.getExitBlock()) {
  for (llvm::PHINode& phi : header_->phis()) {
    const llvm::SCEV* step = step_of(phi, scev);
    steps_.emplace_back(&phi, expander.expandCodeFor(step, step->getType(), &early));
  }
}

void LoopInside::run(llvm::ValueToValueMapTy& map, Value* from, Value* to) const {
  const auto copied = [&](BasicBlock* block) { return llvm::cast<BasicBlock>(map[block]); };
  BasicBlock *before = copied(before_), *header = copied(header_);
  IRBuilder<> builder(before->getTerminator());
  for (const auto& [phi, step] : steps_) {
    auto* counter = llvm::cast<llvm::PHINode>(map[phi]);
    const auto index = static_cast<unsigned>(counter->getBasicBlockIndex(before));
    counter->setIncomingValue(index, moved(counter->getIncomingValue(index), step, from, builder));
  }
  run_rounds(round_of(header), before, copied(latch_), header, from, to, copied(exit_));
}

}  // namespace lapwing::compiler
