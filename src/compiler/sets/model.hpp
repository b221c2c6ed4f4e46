// SPDX-License-Identifier: Apache-2.0
// A copy of the module to reason on, thrown away afterwards: local variables are
// values there, and calls say which memory they leave alone. Blocks are those of
// the original, one for one.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <memory>

namespace lapwing::compiler {

class Model {
 public:
  explicit Model(const llvm::Module& module);
  Model(const Model&) = delete;

  llvm::Module& module() { return *copy_; }
  llvm::FunctionAnalysisManager& analyses() { return functions_; }
  /// Null for what the copy no longer has.
  llvm::Value* copy_of(const llvm::Value* original) const;
  /// The value in the program that a value of the copy stands for: arguments, globals, constants and
  /// variables in memory; null for others.
  llvm::Value* original_of(const llvm::Value* copy) const;

 private:
  llvm::ValueToValueMapTy map_;
  std::unique_ptr<llvm::Module> copy_;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> back_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
};

}  // namespace lapwing::compiler
