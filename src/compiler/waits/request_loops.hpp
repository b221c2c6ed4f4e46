// SPDX-License-Identifier: Apache-2.0
// A loop that starts a request of each neighbour, and a loop that waits for them.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {

/// The header of the loop that starts, in each of its rounds, the request for which `wait` waits in the round
/// of the same number of another loop, behind it: no other start can have made what is waited for. Null where
/// that is not seen. `changes` tells of an instruction whether it may change what a load reads.
using Changes = llvm::function_ref<bool(const llvm::Instruction& i, const llvm::LoadInst& load)>;
const llvm::BasicBlock* loop_that_starts_all(const MpiCall& start, const MpiCall& wait,
                                             const llvm::LoopInfo& loops,
                                             const llvm::DominatorTree& dominators, Changes changes);

}  // namespace lapwing::compiler
