// SPDX-License-Identifier: Apache-2.0
// LapwingPass: waits sink to where the data is used.
#pragma once

#include <llvm/IR/PassManager.h>

#include "compiler/options.hpp"

namespace lapwing::compiler {

class LapwingPass : public llvm::PassInfoMixin<LapwingPass> {
 public:
  explicit LapwingPass(Options options) : options_(std::move(options)) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& manager);
  static bool isRequired() { return false; }  // opt-bisect may skip it

 private:
  Options options_;
};

}  // namespace lapwing::compiler
