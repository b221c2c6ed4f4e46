// SPDX-License-Identifier: Apache-2.0
// Das leans on aggressive inlining: a wait cannot leave the function that
// it stands in.
#pragma once

#include <llvm/IR/PassManager.h>

namespace lapwing::compiler {

/// Lets the inliner go further with small functions that call MPI from few
/// places; runs before it.
class InlineHelp : public llvm::PassInfoMixin<InlineHelp> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& manager);
};

}  // namespace lapwing::compiler
