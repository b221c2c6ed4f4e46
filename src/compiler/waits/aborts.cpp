// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/aborts.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {
namespace {

constexpr llvm::StringLiteral end_name = "lapwing_aborted";

bool ends(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == end_name;
}

// Where the program would go on.
llvm::Instruction* next_of(llvm::CallBase& call) {
  auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
  return invoke ? &*invoke->getNormalDest()->getFirstInsertionPt() : call.getNextNode();
}

// The block's first call of MPI_Abort that end_behind can treat: it removes the rest of the block, further
// calls included.
llvm::CallBase* first_abort(llvm::BasicBlock& block) {
  for (llvm::Instruction& i : block) {
    const auto call = MpiCall::of(i);
    if (call && call->kind() == Kind::abort && !call->call().isMustTailCall()) return &call->call();
  }
  return nullptr;
}

void end_behind(llvm::CallBase& call) {
  llvm::Instruction* next = next_of(call);
  if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call))
    next = llvm::SplitEdge(invoke->getParent(), invoke->getNormalDest())->getTerminator();
  llvm::IRBuilder<> builder(next);
  builder.CreateCall(call.getModule()->getOrInsertFunction(end_name, builder.getVoidTy()))
      ->setDoesNotReturn();
  llvm::changeToUnreachable(next);
}

}  // namespace

llvm::PreservedAnalyses EndAtAborts::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::SmallVector<llvm::CallBase*, 8> calls;
  for (llvm::Function& function : module)
    for (llvm::BasicBlock& block : function)
      if (llvm::CallBase* call = first_abort(block); call && !ends(*next_of(*call))) calls.push_back(call);
  for (llvm::CallBase* call : calls) end_behind(*call);
  return calls.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace lapwing::compiler
