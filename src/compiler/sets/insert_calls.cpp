// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/insert_calls.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace lapwing::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IRBuilder;

// The line of what follows, so that a debugger does not jump about.
void take_line(IRBuilder<>& builder, const Instruction* at) {
  for (const Instruction* i = at; i; i = i->getNextNode()) {
    if (!i->getDebugLoc()) continue;
    builder.SetCurrentDebugLocation(i->getDebugLoc());
    return;
  }
}

}  // namespace

SetsInserter::SetsInserter(llvm::Module& module) : module_(module), places_(module) {
  llvm::LLVMContext& context = module.getContext();
  void_ = llvm::Type::getVoidTy(context);
  integer_ = llvm::Type::getInt32Ty(context);
  pointer_ = llvm::PointerType::getUnqual(context);
}

llvm::FunctionCallee SetsInserter::runtime(llvm::StringRef name, llvm::Type* result,
                                           llvm::ArrayRef<llvm::Type*> arguments) {
  auto callee = module_.getOrInsertFunction(name, llvm::FunctionType::get(result, arguments, false));
  // No pass may merge, duplicate or hoist it; a split tells which way control goes.
  if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    function->setDoesNotThrow();
    function->addFnAttr(llvm::Attribute::NoMerge);
  }
  return callee;
}

void SetsInserter::mark(const GroupCall& call, bool has_sibling) {
  IRBuilder<> builder(&call.call());
  builder.SetCurrentDebugLocation(call.call().getDebugLoc());
  builder.CreateCall(runtime("lapwing_sets_call", void_, {pointer_}), {places_.call_site(call, has_sibling)});
}

void SetsInserter::call_split(IRBuilder<>& builder, llvm::Constant* site, llvm::Value* branch,
                              const CommHints& hints) {
  const EmittedHints emitted = emit_hints(builder, hints);
  builder.CreateCall(runtime("lapwing_sets_split", void_, {pointer_, integer_, integer_, pointer_, integer_}),
                     {site, branch, emitted.comms, emitted.handles, emitted.fortran});
}

void SetsInserter::call_merge(IRBuilder<>& builder, BasicBlock* meeting) {
  builder.CreateCall(runtime("lapwing_sets_merge", void_, {pointer_}), {places_.merge_site(meeting)});
}

void SetsInserter::split_at_br(const Split& split, const CommHints& hints) {
  auto* branch = llvm::cast<llvm::BranchInst>(split.branch);
  IRBuilder<> builder(branch);
  const auto number = [&](unsigned successor) {
    return builder.getInt32(branch->getSuccessor(successor) == split.branches[0] ? 0 : 1);
  };
  llvm::Value* taken = builder.CreateSelect(branch->getCondition(), number(0), number(1), "lapwing.branch");
  call_split(builder, places_.split_site(split), taken, hints);
}

void SetsInserter::split_at_switch(const Split& split, const CommHints& hints) {
  llvm::Constant* site = places_.split_site(split);
  BasicBlock* from = split.branch->getParent();
  for (unsigned b = 0; b < split.branches.size(); ++b) {
    BasicBlock* to = split.branches[b];
    auto* edge = BasicBlock::Create(module_.getContext(), "lapwing.edge", from->getParent(), to);
    IRBuilder<> builder(edge);
    builder.SetCurrentDebugLocation(split.branch->getDebugLoc());
    call_split(builder, site, builder.getInt32(b), hints);
    builder.CreateBr(to);
    for (unsigned i = 0; i < split.branch->getNumSuccessors(); ++i)
      if (split.branch->getSuccessor(i) == to) split.branch->setSuccessor(i, edge);
    // Several cases came to one block; now one edge does.
    for (llvm::PHINode& phi : to->phis()) {
      llvm::Value* value = phi.getIncomingValueForBlock(from);
      while (phi.getBasicBlockIndex(from) >= 0) phi.removeIncomingValue(from, false);
      phi.addIncoming(value, edge);
    }
  }
}

void SetsInserter::bracket(llvm::Function& function) {
  BasicBlock& entry = function.getEntryBlock();
  auto at = entry.getFirstNonPHIOrDbgOrAlloca();
  IRBuilder<> builder(&entry, at);
  take_line(builder, &*at);
  llvm::Value* depth = builder.CreateCall(runtime("lapwing_sets_enter", integer_, {}), {}, "lapwing.depth");
  const auto leave = runtime("lapwing_sets_leave", void_, {integer_});
  for (BasicBlock& block : function) {
    Instruction* last = block.getTerminator();
    if (!llvm::isa<llvm::ReturnInst>(last) && !llvm::isa<llvm::ResumeInst>(last)) continue;
    IRBuilder<> end(last);
    take_line(end, last);
    end.CreateCall(leave, {depth});
  }
}

void SetsInserter::splits(llvm::Function& function, const std::vector<const Split*>& splits,
                          const std::vector<CommHints>& hints) {
  llvm::SetVector<BasicBlock*> meet;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    for (const Meeting& meeting : splits[i]->meetings)
      if (meeting.at) meet.insert(meeting.at);
    if (llvm::isa<llvm::SwitchInst>(splits[i]->branch)) {
      split_at_switch(*splits[i], hints[i]);
    } else {
      split_at_br(*splits[i], hints[i]);
    }
  }
  for (BasicBlock* block : meet) {
    IRBuilder<> builder(block, block->getFirstInsertionPt());
    take_line(builder, &*block->getFirstInsertionPt());
    call_merge(builder, block);
  }
  bracket(function);
}

void SetsInserter::handler(const Handler& handler) {
  llvm::Function& function = *handler.pad->getParent();
  IRBuilder<> builder(handler.pad, handler.pad->getFirstInsertionPt());
  take_line(builder, &*handler.pad->getFirstInsertionPt());
  if (handler.brackets) {
    BasicBlock& entry = function.getEntryBlock();
    auto* slot = IRBuilder<>(&entry, entry.begin()).CreateAlloca(integer_, nullptr, "lapwing.depth.slot");
    const auto leave = runtime("lapwing_sets_leave", void_, {integer_});
    for (llvm::InvokeInst* invoke : handler.invokes) {
      IRBuilder<> before(invoke);
      before.SetCurrentDebugLocation(invoke->getDebugLoc());
      llvm::Value* depth = before.CreateCall(runtime("lapwing_sets_enter", integer_, {}));
      before.CreateStore(depth, slot);
      BasicBlock* to = invoke->getNormalDest();
      auto* edge = BasicBlock::Create(module_.getContext(), "lapwing.returned", &function, to);
      to->replacePhiUsesWith(invoke->getParent(), edge);
      invoke->setNormalDest(edge);
      IRBuilder<> after(edge);
      after.SetCurrentDebugLocation(invoke->getDebugLoc());
      after.CreateCall(leave, {depth});
      after.CreateBr(to);
    }
    builder.CreateCall(leave, {builder.CreateLoad(integer_, slot)});
  }
  for (BasicBlock* meeting : handler.skipped) call_merge(builder, meeting);
}

void SetsInserter::pointer_call(const PointerCall& call) {
  IRBuilder<> builder(call.call);
  builder.SetCurrentDebugLocation(call.call->getDebugLoc());
  llvm::Value* depth =
      builder.CreateCall(runtime("lapwing_sets_call_through", integer_, {pointer_, pointer_}),
                         {places_.pointer_site(call), call.call->getCalledOperand()}, "lapwing.depth");
  const auto called = runtime("lapwing_sets_called", void_, {integer_});
  // An exception comes to whoever catches it, which leaves all that it has passed.
  if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(call.call)) {
    BasicBlock* to = invoke->getNormalDest();
    auto* edge = BasicBlock::Create(module_.getContext(), "lapwing.called", to->getParent(), to);
    to->replacePhiUsesWith(invoke->getParent(), edge);
    invoke->setNormalDest(edge);
    IRBuilder<> after(edge);
    after.SetCurrentDebugLocation(invoke->getDebugLoc());
    after.CreateCall(called, {depth});
    after.CreateBr(to);
    return;
  }
  builder.SetInsertPoint(call.call->getNextNode());
  builder.SetCurrentDebugLocation(call.call->getDebugLoc());
  builder.CreateCall(called, {depth});
}

void SetsInserter::declare(int mode, const std::vector<Target>& targets) {
  auto* type = llvm::FunctionType::get(void_, false);
  auto* function =
      llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "lapwing.sets.mode", module_);
  function->setDoesNotThrow();
  IRBuilder<> builder(BasicBlock::Create(module_.getContext(), "", function));
  builder.CreateCall(runtime("lapwing_sets_declare_mode", void_, {integer_}), {builder.getInt32(mode)});
  if (!targets.empty()) {
    builder.CreateCall(runtime("lapwing_sets_targets", void_, {pointer_, integer_}),
                       {places_.targets(targets), builder.getInt32(static_cast<unsigned>(targets.size()))});
  }
  builder.CreateRetVoid();
  llvm::appendToGlobalCtors(module_, function, 65535);
}

}  // namespace lapwing::compiler
