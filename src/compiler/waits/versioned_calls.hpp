// SPDX-License-Identifier: Apache-2.0
// A call whose error the program looks at.
//
// A start does not know how the transfer will end. But where every error ends
// the job, a call that returns has returned MPI_SUCCESS. So the ways part, by
// what the run time says of the communicator's error handler: on one the call is
// split, or the wait moved, and its error is MPI_SUCCESS; on the other stands the
// program's own call, as it was.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/mpi/calls.hpp"
#include "compiler/waits/emit.hpp"

namespace lapwing::compiler {

/// Asks before `at` whether the call may be split, as far as this half of it goes.
llvm::Value* ask_may_split(const MpiCall& call, const StartOf& half, llvm::Instruction* at);
/// Asks before a collective whether it is split here: the same on all members.
llvm::Value* ask_may_split_collective(const MpiCall& call);
/// Asks before `at` whether a wait may come later.
llvm::Value* ask_may_sink(const MpiCall& wait, llvm::Constant* comm, llvm::Instruction* at);

/// Parts the ways where the call stands. The code in its place, where `answer`
/// is true, goes before the instruction that is returned.
llvm::Instruction* part_ways(const MpiCall& call, llvm::Value* answer);

/// Whether a call is the program's own beside one that the pass has split.
bool is_own_way(const llvm::CallBase& call);

/// Where the ways part on one of which an instruction stands: the fork's branch,
/// else the instruction itself. Code that must come before it does so once, not twice.
llvm::Instruction* before_fork(llvm::Instruction& instruction);

/// The predefined communicator of all these starts; null where there is no one such.
llvm::Constant* common_communicator(llvm::ArrayRef<llvm::CallBase*> starts);

/// The only way on from a branch while a transfer of `call` is outstanding, whose
/// error is then MPI_SUCCESS; null if the branch depends on anything else.
const llvm::BasicBlock* way_of_success(const llvm::Instruction& branch, const llvm::CallBase& call);

/// Whether a block is reached only if an MPI call has failed.
bool is_after_failure(const llvm::BasicBlock& block);

}  // namespace lapwing::compiler
