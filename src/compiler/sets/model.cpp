// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/model.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/IPO/FunctionAttrs.h>
#include <llvm/Transforms/IPO/InferFunctionAttrs.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/sets/collective_calls.hpp"
#include "compiler/sets/language_libraries.hpp"
#include "compiler/sets/memory_use.hpp"

namespace lapwing::compiler {
namespace {

// LLVM's analysis knows values that are no terminators only. A call that may throw becomes a call and
// a branch that each process may take its own way; MPI and the C library do not throw.
void state_exceptions(llvm::Function& function) {
  llvm::Module& module = *function.getParent();
  llvm::SmallVector<llvm::InvokeInst*, 8> invokes;
  llvm::SmallVector<llvm::LandingPadInst*, 8> pads;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&i)) invokes.push_back(invoke);
    if (auto* pad = llvm::dyn_cast<llvm::LandingPadInst>(&i)) pads.push_back(pad);
  }
  for (llvm::InvokeInst* invoke : invokes) {
    llvm::IRBuilder<> builder(invoke);
    llvm::SmallVector<llvm::OperandBundleDef, 1> bundles;
    invoke->getOperandBundlesAsDefs(bundles);
    llvm::SmallVector<llvm::Value*, 8> arguments(invoke->args());
    llvm::CallInst* call =
        builder.CreateCall(invoke->getFunctionType(), invoke->getCalledOperand(), arguments, bundles);
    call->setAttributes(invoke->getAttributes());
    call->setCallingConv(invoke->getCallingConv());
    call->copyMetadata(*invoke);
    const llvm::Function* callee = invoke->getCalledFunction();
    if (callee && (!routine_name(callee->getName()).empty() || keeps_no_address(callee->getName()))) {
      invoke->getUnwindDest()->removePredecessor(invoke->getParent(), true);
      builder.CreateBr(invoke->getNormalDest());
    } else {
      auto throws = module.getOrInsertFunction("lapwing.throws", builder.getInt1Ty());
      builder.CreateCondBr(builder.CreateCall(throws), invoke->getUnwindDest(), invoke->getNormalDest());
    }
    invoke->replaceAllUsesWith(call);
    invoke->eraseFromParent();
  }
  for (llvm::LandingPadInst* pad : pads) {
    llvm::IRBuilder<> builder(pad);
    const std::string name = "lapwing.caught." + std::to_string(pad->getType()->isStructTy() ? 0 : 1);
    auto caught = module.getOrInsertFunction(name, pad->getType());
    pad->replaceAllUsesWith(builder.CreateCall(caught));
    pad->eraseFromParent();
  }
}

}  // namespace

Model::Model(const llvm::Module& module) : copy_(llvm::CloneModule(module, map_)) {
  for (const llvm::Function& function : module) {
    for (const llvm::Argument& argument : function.args())
      if (llvm::Value* copy = map_.lookup(&argument)) back_[copy] = const_cast<llvm::Argument*>(&argument);
    for (const llvm::Instruction& i : llvm::instructions(function))
      if (llvm::isa<llvm::AllocaInst>(i)) back_[map_.lookup(&i)] = const_cast<llvm::Instruction*>(&i);
  }
  for (const llvm::GlobalVariable& global : module.globals())
    back_[map_.lookup(&global)] = const_cast<llvm::GlobalVariable*>(&global);

  for (llvm::Function& function : *copy_) {
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    if (function.isDeclaration()) continue;
    state_exceptions(function);
    state_memory_use(function);
  }
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules_);
  builder.registerCGSCCAnalyses(components_);
  builder.registerFunctionAnalyses(functions_);
  builder.registerLoopAnalyses(loops_);
  builder.crossRegisterProxies(loops_, functions_, components_, modules_);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::InferFunctionAttrsPass());
  llvm::FunctionPassManager scalars;
  scalars.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  scalars.addPass(llvm::InstSimplifyPass());
  scalars.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(scalars)));
  passes.addPass(llvm::createModuleToPostOrderCGSCCPassAdaptor(llvm::PostOrderFunctionAttrsPass()));
  passes.run(*copy_, modules_);
}

llvm::Value* Model::copy_of(const llvm::Value* original) const { return map_.lookup(original); }

llvm::Value* Model::original_of(const llvm::Value* copy) const {
  if (llvm::isa<llvm::ConstantData>(copy)) return const_cast<llvm::Value*>(copy);
  return back_.lookup(copy);
}

}  // namespace lapwing::compiler
