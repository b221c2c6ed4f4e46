// SPDX-License-Identifier: Apache-2.0
// Where the last part of one of several ways to a block becomes a question of its own.
#pragma once

#include <llvm/IR/Instructions.h>

namespace lapwing::compiler {

/// `at` begins the last part of a way to `below`; other ways, which do not lead through it, come in at
/// `below`. LLVM makes one question of two where nothing but the one stands between: `if (n) { send();
/// wait(); }` of `if (n) send(); if (n) wait();`. This makes two of it again. The second one, which is
/// returned, is met on every way to `below`. The analyses of the function hold no longer.
llvm::Instruction* join_ways(llvm::Instruction& at, llvm::BasicBlock& below);

/// Where ways meet in a block that does no more than end the lives of variables, each gets a block of its
/// own, and all meet in the next one: LLVM does that with blocks that are empty. Whether something changed.
bool part_ends_of_lives(llvm::Function& function);

}  // namespace lapwing::compiler
