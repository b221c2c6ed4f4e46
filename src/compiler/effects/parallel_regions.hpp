// SPDX-License-Identifier: Apache-2.0
// OpenMP's parallel regions, as clang and flang outline them for libomp.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InstrTypes.h>

#include <cstdint>

namespace lapwing::compiler {

/// The function that all threads of the team run in this call; null where the call is none that starts a
/// team, or where the function is not known.
const llvm::Function* region_of(const llvm::CallBase& call);

/// The value that the call hands to an argument of the region; null where that is the runtime's own memory.
const llvm::Value* handed_to_region(const llvm::CallBase& call, unsigned argument);

/// Whether it divides rounds among the threads of a team, asks for numbers, or waits for the team: code
/// outside the region learns nothing from it.
bool stays_in_team(const llvm::CallBase& call);

/// Of those: a barrier, from which the threads of a team learn what the others have done.
bool meets_team(const llvm::CallBase& call);

/// Whether threads of a team may communicate: a region calls MPI, or a function of the module that does.
bool regions_communicate(const llvm::Module& module);

/// The pointers that a local variable may hold `offset` bytes behind its begin, `where`. False where they are
/// not all known: it is no variable that only this function writes to, and that regions only read.
bool find_pointers_in(const llvm::Value* where, std::int64_t offset,
                      llvm::SmallVectorImpl<const llvm::Value*>& found);

}  // namespace lapwing::compiler
