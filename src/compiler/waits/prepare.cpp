// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/prepare.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {

// A call that may throw needs a place behind it of its own.
bool give_places_behind(llvm::Function& function) {
  llvm::SmallVector<llvm::InvokeInst*, 8> shared;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&i);
    if (invoke && MpiCall::of(i) && !after(*invoke)) shared.push_back(invoke);
  }
  for (llvm::InvokeInst* invoke : shared) llvm::SplitEdge(invoke->getParent(), invoke->getNormalDest());
  return !shared.empty();
}

// MPI's functions throw only where a handler of the program's does, and here is none: a wait, or a call of
// two halves, gives up its way out. A single start keeps it.
void make_calls(llvm::MutableArrayRef<Half> halves) {
  const Transfer& first = halves.front().transfer;
  auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(first.call);
  if (!invoke || (first.shape != Shape::program_wait && (halves.size() == 1 || first.checked))) return;
  llvm::CallBase* call = llvm::changeToCall(invoke);
  for (Half& half : halves) {
    half.transfer.call = call;
    for (llvm::CallBase*& start : half.transfer.starts)
      if (start == invoke) start = call;
    for (Stop& point : half.placement.points) {
      if (point.at == invoke) point.at = call;
    }
  }
}

// An array of constant length is static while it stands in the entry block, which starts and waits may
// part: behind them it would be a dynamic one, and end where the stack is restored.
bool gather_locals(llvm::Function& function) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  auto first = entry.begin();
  while (llvm::isa<llvm::AllocaInst>(*first)) ++first;
  bool changed = false;
  for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::make_range(first, entry.end()))) {
    auto* local = llvm::dyn_cast<llvm::AllocaInst>(&i);
    if (!local || !local->isStaticAlloca()) continue;
    local->moveBefore(&*first);
    changed = true;
  }
  return changed;
}

}  // namespace lapwing::compiler
