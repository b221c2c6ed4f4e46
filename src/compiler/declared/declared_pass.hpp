// SPDX-License-Identifier: Apache-2.0
// DeclaredPass: uses and defines of declared variables, where the program reads
// and writes them (MIPS 4).
#pragma once

#include <llvm/IR/PassManager.h>

namespace lapwing::compiler {

/// At the start of the pipeline: functions that declare become part of their
/// callers, where uses of what they declare stand.
class DeclaredInline : public llvm::PassInfoMixin<DeclaredInline> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& manager);
  static bool isRequired() { return true; }
};

/// Once functions are inlined. Nothing is pending any more where a function
/// returns, or where anybody else's code may get at declared memory.
class DeclaredPass : public llvm::PassInfoMixin<DeclaredPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& manager);
  /// Without it the program means something else.
  static bool isRequired() { return true; }
};

}  // namespace lapwing::compiler
