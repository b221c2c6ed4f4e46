// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/counters.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

namespace lapwing::compiler {
namespace {

// Neither changes while one round of the loop runs.
bool is_of_one_round(const llvm::Value* value, const llvm::Loop& loop) {
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
  return loop.isLoopInvariant(value) || (phi && phi->getParent() == loop.getHeader());
}

// The operation whose result is merged, if it is the same on all ways.
llvm::Instruction* common_operation(const llvm::PHINode& merged, const llvm::Loop& loop) {
  llvm::Instruction* common = nullptr;
  for (llvm::Value* value : merged.incoming_values()) {
    auto* one = llvm::dyn_cast<llvm::Instruction>(value);
    if (!one || !loop.contains(one) ||
        !(llvm::isa<llvm::BinaryOperator>(one) || llvm::isa<llvm::GetElementPtrInst>(one)))
      return nullptr;
    if (common && !one->isIdenticalToWhenDefined(common)) return nullptr;
    common = one;
  }
  const bool is_fixed = common && llvm::all_of(common->operands(), [&](const llvm::Use& use) {
                          return is_of_one_round(use.get(), loop);
                        });
  return is_fixed ? common : nullptr;
}

bool merge(llvm::PHINode& counter, const llvm::Loop& loop) {
  auto* merged = llvm::dyn_cast<llvm::PHINode>(counter.getIncomingValueForBlock(loop.getLoopLatch()));
  if (!merged || !loop.contains(merged) || merged->getParent() == loop.getHeader()) return false;
  const llvm::Instruction* common = common_operation(*merged, loop);
  if (!common || llvm::isa<llvm::PossiblyExactOperator>(common)) return false;
  llvm::Instruction* made = common->clone();
  made->insertBefore(&*merged->getParent()->getFirstInsertionPt());
  for (llvm::Value* value : merged->incoming_values()) made->andIRFlags(value);
  made->takeName(merged);
  merged->replaceAllUsesWith(made);
  merged->eraseFromParent();
  return true;
}

}  // namespace

bool merge_counters(const llvm::LoopInfo& loops) {
  bool changed = false;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->getLoopLatch() || !loop->getLoopPreheader()) continue;
    for (llvm::PHINode& phi : loop->getHeader()->phis()) changed |= merge(phi, *loop);
  }
  return changed;
}

}  // namespace lapwing::compiler
