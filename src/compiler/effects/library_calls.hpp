// SPDX-License-Identifier: Apache-2.0
// Functions of the C library that know no variable of the program's.
#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstrTypes.h>

namespace lapwing::compiler {

/// Whether a call touches no memory of the program's but what its arguments lead
/// to, calls nobody back, and throws nothing. Its effects outside are another matter.
bool knows_arguments_only(const llvm::CallBase& call, const llvm::TargetLibraryInfo& library);

/// Whether a call asks for the time: as with MPI_Wtime, no other process can see it, and it writes what its
/// arguments point to.
bool reads_clock(const llvm::CallBase& call);

/// free, and C++'s operators delete where they are the library's.
bool gives_back(const llvm::CallBase& call);

/// malloc and its like, and C++'s operators new where they are the library's.
bool gives_new(const llvm::CallBase& call);

/// setjmp and its like. That __builtin_setjmp is one, it does not say itself.
bool returns_twice(const llvm::CallBase& call);
/// Whether a function calls one.
bool may_be_jumped_into(const llvm::Function& function);

}  // namespace lapwing::compiler
