// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets_model.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/IPO/FunctionAttrs.h>
#include <llvm/Transforms/IPO/InferFunctionAttrs.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/sets_memory_use.hpp"

namespace lapwing::compiler {

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
    if (!function.isDeclaration()) state_memory_use(function);
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
