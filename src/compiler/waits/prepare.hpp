// SPDX-License-Identifier: Apache-2.0
// Makes room in a function for starts and waits that move.
#pragma once

#include <llvm/IR/Function.h>

#include "compiler/waits/rewrite.hpp"

namespace lapwing::compiler {

/// Gives each MPI call that may throw a block of its own to go on in. Whether it changed something.
bool give_places_behind(llvm::Function& function);

/// Makes a call of the invoke that the halves of one MPI call stand for, where it cannot throw.
void make_calls(llvm::MutableArrayRef<Half> halves);

/// Puts the entry block's static allocations first. Whether it changed something.
bool gather_locals(llvm::Function& function);

}  // namespace lapwing::compiler
