// SPDX-License-Identifier: Apache-2.0
// Pointers that are loaded from a variable which alone owns what it points to:
// Fortran's allocatable variables.
//
// Two of them never overlap at one moment, and neither is part of any other
// variable. The move of an allocation from one to another (MOVE_ALLOC) is a call
// of the Fortran runtime, which no wait crosses; but one may stand between a
// start of the program's and its wait (Memory::forget_owner).
#pragma once

#include <llvm/IR/GlobalVariable.h>

namespace lapwing::compiler {

/// The allocatable whose allocation `object` is, if it is loaded from one that
/// lives in a global; else null.
const llvm::GlobalVariable* owner_of(const llvm::Value* object);

/// Whether an owner may hand on what it owns, by a call that knows its address.
bool may_hand_on(const llvm::GlobalVariable& owner);

/// Whether an object is known to be no part of what `owner` owns.
bool is_owned_by_other(const llvm::Value* object, const llvm::Value& owner);

/// Whether two different objects are disjoint because of who owns them.
bool have_other_owners(const llvm::Value* a, const llvm::Value* b);

}  // namespace lapwing::compiler
