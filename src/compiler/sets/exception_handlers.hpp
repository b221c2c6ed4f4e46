// SPDX-License-Identifier: Apache-2.0
// Exceptions that a function catches: which scopes of its splits are left by
// them, and where control goes on.
#pragma once

#include <llvm/IR/Instructions.h>

#include <vector>

#include "compiler/sets/splits.hpp"

namespace lapwing::compiler {

struct Handler {
  llvm::BasicBlock* pad;
  std::vector<llvm::InvokeInst*> invokes;  ///< all that come here
  /// Some of them may split: each call is then an activation that is left on either way.
  bool brackets = false;
  /// Meetings of scopes that are left, inner ones first.
  std::vector<llvm::BasicBlock*> skipped;
  /// A group's call that only those make who come here; null if there is none.
  const llvm::Instruction* communicates = nullptr;
};

/// Those from which control goes on in the function.
std::vector<Handler> find_handlers(llvm::Function& function, const SetFlow& flow, const Reach& reach,
                                   const std::vector<const Split*>& splits);

}  // namespace lapwing::compiler
