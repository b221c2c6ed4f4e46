// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/polls.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>

#include "compiler/waits/emit.hpp"

namespace lapwing::compiler {

// Of a nest the loops around the innermost ones: often enough, and seldom.
static bool is_around_innermost(const llvm::Loop& loop) {
  return llvm::any_of(loop.getSubLoops(), [](const llvm::Loop* inner) { return inner->isInnermost(); });
}

// In each of its rounds.
static bool is_polled_inside(const llvm::Loop& loop, const llvm::DominatorTree& dominators) {
  return llvm::any_of(loop.getSubLoops(), [&](const llvm::Loop* inner) {
    return is_around_innermost(*inner) && inner->getLoopLatch() &&
           dominators.dominates(inner->getHeader(), loop.getLoopLatch());
  });
}

static bool polls_itself(const llvm::Loop& loop, const llvm::DominatorTree& dominators) {
  return loop.getLoopLatch() && is_around_innermost(loop) && !is_polled_inside(loop, dominators);
}

llvm::SmallVector<llvm::BasicBlock*, 4> loops_to_poll(llvm::ArrayRef<llvm::BasicBlock*> crossed,
                                                      const llvm::LoopInfo& loops,
                                                      const llvm::DominatorTree& dominators,
                                                      const llvm::BasicBlock* home) {
  llvm::SmallVector<llvm::BasicBlock*, 4> latches;
  for (llvm::BasicBlock* block : crossed) {
    const llvm::Loop* loop = loops.getLoopFor(block);
    if (!loop || loop->getHeader() != block || loop->contains(home)) continue;
    if (polls_itself(*loop, dominators)) latches.push_back(loop->getLoopLatch());
  }
  return latches;
}

llvm::SmallVector<llvm::BasicBlock*, 4> loops_to_poll(const llvm::LoopInfo& loops,
                                                      const llvm::DominatorTree& dominators) {
  llvm::SmallVector<llvm::BasicBlock*, 4> latches;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (polls_itself(*loop, dominators)) latches.push_back(loop->getLoopLatch());
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

// The call keeps all registers of its caller (compiled.h): a loop has hardly more to do than to count. The
// code that binds a call when it first runs does not keep them, so it is bound when the program is loaded.
static llvm::FunctionCallee poll_function(llvm::Module& module, llvm::Type* number, llvm::Type* pointer) {
  const bool is_new = !module.getFunction("lapwing_poll");
  llvm::FunctionCallee callee = runtime_function(module, "lapwing_poll", number, {pointer});
  auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee());
  if (function && is_new) {
    // The large code model calls by an absolute address, outside PIC that of a stub, which is bound at its
    // first call all the same; and who binds it keeps only what C's convention does.
    if (module.getCodeModel() != llvm::CodeModel::Large)
      function->setCallingConv(llvm::CallingConv::PreserveAll);
    function->addFnAttr(llvm::Attribute::NonLazyBind);
  }
  return callee;
}

void add_polls(llvm::ArrayRef<llvm::BasicBlock*> latches, unsigned first_rounds) {
  if (latches.empty()) return;
  llvm::Module& module = *latches.front()->getModule();
  llvm::LLVMContext& context = module.getContext();
  auto* number = llvm::Type::getInt32Ty(context);
  auto* type = llvm::StructType::get(context, {number, llvm::Type::getInt64Ty(context)});
  Slots counters(*latches.front()->getParent());
  for (llvm::BasicBlock* latch : latches) {
    // Another transfer's.
    if (llvm::any_of(llvm::predecessors(latch), [](const llvm::BasicBlock* b) { return polls(*b); }))
      continue;
    llvm::AllocaInst* left =
        counters.make(number, llvm::ConstantInt::get(number, first_rounds), "lapwing.left");
    llvm::AllocaInst* loop = scratch(*latch->getParent(), type, "lapwing.loop");
    llvm::IRBuilder<> first(loop->getNextNode());
    first.CreateStore(first.getInt32(first_rounds), first.CreateStructGEP(type, loop, 0));
    first.CreateStore(first.getInt64(0), first.CreateStructGEP(type, loop, 1));
    llvm::IRBuilder<> builder(latch->getTerminator());
    llvm::Value* now = builder.CreateSub(builder.CreateLoad(number, left), builder.getInt32(1));
    builder.CreateStore(now, left);
    emit_if(
        builder.CreateICmpEQ(now, builder.getInt32(0), "lapwing.polls"), latch->getTerminator(),
        [&](llvm::IRBuilder<>& inside) {
          llvm::FunctionCallee callee = poll_function(module, number, loop->getType());
          llvm::CallInst* call = inside.CreateCall(callee, {loop});
          if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee()))
            call->setCallingConv(function->getCallingConv());
          inside.CreateStore(call, left);
        },
        true);
  }
  counters.promote();
}

}  // namespace lapwing::compiler
