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
  /// `interior`: loops are to be divided, for which an exchange and the loop behind it have to be in one
  /// function. Such two are inlined wherever they follow each other.
  explicit InlineHelp(bool interior) : interior_(interior) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& manager);

 private:
  bool interior_;
};

}  // namespace lapwing::compiler
