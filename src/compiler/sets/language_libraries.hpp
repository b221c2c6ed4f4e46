// SPDX-License-Identifier: Apache-2.0
// Functions of the languages' own libraries: they make no call that a group of
// processes makes together, unless through a function that they are given.
#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Function.h>

namespace lapwing::compiler {

bool is_library_function(const llvm::Function& function, const llvm::TargetLibraryInfo& library);

/// Code from the headers of the C++ library, compiled with the program.
bool is_of_cxx_library(llvm::StringRef symbol);

/// Of it, what calls any function that the program has put into an object: std::function and std::invoke.
bool calls_any_function(llvm::StringRef symbol);

/// Whether a library function allocates memory that no one else has, or only
/// computes, so that equal arguments give equal results on all processes.
bool gives_equal_results(llvm::StringRef symbol);

/// Whether a library function never returns.
bool ends_program(llvm::StringRef symbol);

/// Whether a library function keeps no address that it is given, and writes
/// only through its arguments.
bool keeps_no_address(llvm::StringRef symbol);

}  // namespace lapwing::compiler
