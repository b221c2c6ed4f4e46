// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/known_question.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

namespace lapwing::compiler {

static bool is_known_on_some_way(const llvm::PHINode& phi) {
  return phi.getType()->isIntegerTy(1) && llvm::any_of(phi.incoming_values(), [](const llvm::Use& value) {
           return llvm::isa<llvm::ConstantInt>(value);
         });
}

bool KnownQuestion::may_be_in(const llvm::Function& function) {
  return llvm::any_of(function, [](const llvm::BasicBlock& block) {
    return llvm::any_of(block.phis(), is_known_on_some_way);
  });
}

std::optional<KnownQuestion> KnownQuestion::above(const llvm::BasicBlock& place,
                                                  const llvm::DominatorTree& dominators) {
  const auto* node = dominators.getNode(&place);
  if (!node) return std::nullopt;
  while ((node = node->getIDom())) {
    const llvm::BasicBlock* asks = node->getBlock();
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(asks->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(branch->getCondition());
    if (!phi || !is_known_on_some_way(*phi)) continue;
    for (const unsigned side : {0U, 1U}) {
      if (!dominators.dominates(llvm::BasicBlockEdge(asks, branch->getSuccessor(side)), &place)) continue;
      KnownQuestion found{phi->getParent(), {}};
      for (const llvm::BasicBlock* before : llvm::predecessors(phi->getParent())) {
        const auto* value = llvm::dyn_cast<llvm::ConstantInt>(phi->getIncomingValueForBlock(before));
        if (!value || value->isOne() == (side == 0)) found.from.insert(before);
      }
      return found;
    }
  }
  return std::nullopt;
}

std::optional<AskedBefore> AskedBefore::above(const llvm::BasicBlock& place,
                                              const llvm::DominatorTree& dominators) {
  for (const auto* node = dominators.getNode(&place); node && (node = node->getIDom());) {
    const llvm::BasicBlock* asks = node->getBlock();
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(asks->getTerminator());
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1) ||
        llvm::isa<llvm::Constant>(branch->getCondition()))
      continue;
    for (const unsigned side : {0U, 1U}) {
      if (!dominators.dominates(llvm::BasicBlockEdge(asks, branch->getSuccessor(side)), &place)) continue;
      AskedBefore found;
      for (const llvm::User* user : branch->getCondition()->users()) {
        const auto* other = llvm::dyn_cast<llvm::BranchInst>(user);
        const llvm::BasicBlock* block = other ? other->getParent() : nullptr;
        if (!block || block == asks || !dominators.dominates(block, asks)) continue;
        found.next[block] = other->getSuccessor(side);
        if (!found.first || dominators.dominates(block, found.first)) found.first = block;
      }
      if (found.first) return found;
    }
  }
  return std::nullopt;
}

}  // namespace lapwing::compiler
