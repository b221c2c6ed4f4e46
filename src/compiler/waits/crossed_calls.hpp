// SPDX-License-Identifier: Apache-2.0
// Progress from functions that are called where a transfer is in flight: their
// loops poll as those of the caller do.
//
// A function polls if nobody can call it from inside MPI or from a signal's
// handler, where a poll would enter MPI again: it is the module's own, its address
// is not taken, and so for all that call it, up to functions that start
// transfers themselves.
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/PassManager.h>

#include "compiler/waits/rewrite.hpp"

namespace lapwing::compiler {

class CrossedCalls {
 public:
  /// Notes the calls that a half crosses; before anything of it is changed.
  void note(const Half& half);
  /// Once all has been placed. Whether anything was changed.
  bool add_polls(llvm::FunctionAnalysisManager& manager);

 private:
  void note_from(const llvm::Instruction* first, const Placement& placement);

  llvm::SmallSetVector<llvm::Function*, 8> called_;
};

}  // namespace lapwing::compiler
