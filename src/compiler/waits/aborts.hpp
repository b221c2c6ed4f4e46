// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/PassManager.h>

namespace lapwing::compiler {

/// The program goes no further than MPI_Abort, which neither C nor Fortran knows. Without this pass, `if
/// (MPI_Wait(...)) { tell(); MPI_Abort(...); }` in a loop is a way on which anything may happen between two
/// rounds. An MPI may return from MPI_Abort in a thread while another thread aborts: lapwing_aborted, which
/// the pass calls behind it, ends the process then.
struct EndAtAborts : llvm::PassInfoMixin<EndAtAborts> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& manager);
};

}  // namespace lapwing::compiler
