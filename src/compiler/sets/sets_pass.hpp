// SPDX-License-Identifier: Apache-2.0
// SetsPass: splits, merges and marks for process sets, before anything else has
// merged branches or moved calls.
#pragma once

#include <llvm/IR/PassManager.h>

#include "compiler/options.hpp"

namespace lapwing::compiler {

class SetsPass : public llvm::PassInfoMixin<SetsPass> {
 public:
  explicit SetsPass(Sets mode) : mode_(mode) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& manager);
  /// Without it the program means something else.
  static bool isRequired() { return true; }

 private:
  Sets mode_;
};

}  // namespace lapwing::compiler
