// SPDX-License-Identifier: Apache-2.0
// Sums, and whatever else a round makes of what the round before has come to. A loop with them can be divided
// if nothing in a round but they themselves needs them: its rounds then run without them, and a second loop
// behind it computes them in the program's order, from what the rounds have stored. So they keep their bits.
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>

#include "compiler/interior/accesses.hpp"

namespace lapwing::compiler {

/// Whether a value that goes from round to round does so evenly.
bool is_even_counter(llvm::PHINode& phi, const llvm::Loop& loop, llvm::ScalarEvolution& scev);

/// Adds a value of the loop and all in it that needs this one. False where that is more than arithmetic, or
/// is used behind the loop otherwise than by what is merged there.
bool add_parts(llvm::Instruction& first, const llvm::Loop& loop,
               llvm::SmallSetVector<llvm::Instruction*, 16>& parts);

struct Sums {
  struct Stored {
    llvm::Instruction* value;
    llvm::StoreInst* store;
    llvm::Instruction* at;  ///< before this one it can be loaded again
  };
  llvm::SmallSetVector<llvm::Instruction*, 16> parts;   ///< all that needs what the round before has come to
  llvm::SmallVector<Stored, 4> stored;                  ///< read where the loop has stored it
  llvm::SmallSetVector<llvm::Instruction*, 32> needed;  ///< computed once more; the loop's branches, too

  bool empty() const { return parts.empty(); }
  /// Finds the parts. False where something else needs them, or what is used behind the loop is no part.
  bool find_parts(const llvm::Loop& loop, llvm::ScalarEvolution& scev);
  /// Finds all that computing them behind the loop takes, of which `accesses` has all accesses: those that
  /// must be apart from what others write are noted there. False where it takes much, or cannot be had.
  bool can_follow(const llvm::Loop& loop, Accesses& accesses, llvm::ScalarEvolution& scev);
};

/// The loop becomes two: where `divided` holds, itself without sums and behind it one with nothing else;
/// where it does not, one as it was. The headers of the two others. LoopInfo knows nothing of them.
llvm::SmallVector<llvm::BasicBlock*, 2> take_out(const Sums& sums, llvm::Loop& loop, llvm::Value* divided);

}  // namespace lapwing::compiler
