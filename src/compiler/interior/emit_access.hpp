// SPDX-License-Identifier: Apache-2.0
// Emits one description of memory for the run time (lapwing_interior_access, lapwing/compiled.h).
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/interior/accesses.hpp"

namespace lapwing::compiler {

/// The bits of lapwing_interior_access.
enum AccessFlags : int {
  access_writes = 1,
  access_kept = 2,
  access_message = 4,
  access_number = 8,
  access_from = 16,
  access_met = 32,
  access_alone = 64,
};

/// The program's values that a footprint is computed from.
llvm::SmallVector<llvm::Value*, 8> values_of(const Footprint& footprint);

bool is_safe_to_expand(const Footprint& footprint, llvm::SCEVExpander& expander);

/// The value of an expression before `at`. Where the program does not come to use it, it may be one that
/// means nothing, but it is one.
llvm::Value* expand_number(const llvm::SCEV* value, llvm::SCEVExpander& expander, llvm::Instruction* at);

/// `arguments`: those of lapwing_interior_access; what is not there is 0.
llvm::CallInst* call_access(llvm::IRBuilder<>& builder, llvm::SmallVector<llvm::Value*, 10> arguments);

/// Describes a footprint before `at`, with these flags and its own. `inside`: so many loops inside are
/// divided as well, and their steps come first.
llvm::CallInst* emit_access(const Footprint& footprint, int flags, llvm::SCEVExpander& expander,
                            llvm::Instruction* at, std::size_t inside = 0);

}  // namespace lapwing::compiler
