// SPDX-License-Identifier: Apache-2.0
// Pointers that are loaded from a variable which alone owns what it points to:
// Fortran's allocatable variables.
//
// Two of them never overlap, and neither is part of any other variable. What
// moves an allocation from one to another (MOVE_ALLOC) is a call of the Fortran
// runtime, which no wait crosses.
#pragma once

#include <llvm/IR/GlobalVariable.h>

namespace lapwing::compiler {

/// The allocatable whose allocation `object` is, if it is loaded from one that
/// lives in a global; else null.
const llvm::GlobalVariable* owner_of(const llvm::Value* object);

/// Whether two different objects are disjoint because of who owns them.
bool have_other_owners(const llvm::Value* a, const llvm::Value* b);

}  // namespace lapwing::compiler
