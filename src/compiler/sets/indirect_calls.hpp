// SPDX-License-Identifier: Apache-2.0
// Calls through pointers: processes part there where they call different functions.
//
// No file sees all functions that a pointer may hold. So each tells the library
// which addresses it takes and which of its functions may come to a group's call;
// a call through a pointer costs a vote only where one of these could be meant.
#pragma once

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <string>
#include <vector>

#include "compiler/sets/reachability.hpp"
#include "compiler/sets/splits.hpp"
#include "compiler/sets/uniformity.hpp"

namespace lapwing::compiler {

struct PointerCall {
  llvm::CallBase* call;
  std::string arguments;  ///< a letter each: p, i, f; o for others
  int slot;               ///< of the virtual table that the function is taken from, or -1
};

/// Words of one file about a function.
struct Target {
  enum Flag { taken = 1, reaches = 2 };
  llvm::Function* function;
  std::string arguments;
  int slot;  ///< of a virtual table; -1: it may be called through any pointer
  int flags;
};

/// Calls through pointers at which processes may part.
std::vector<PointerCall> find_pointer_calls(const FunctionSplits& in, const Reach& reach);
/// Whether all processes call the same function there.
bool is_uniform(const PointerCall& call, Uniformity& uniformity);
std::vector<Target> find_targets(llvm::Module& module, const Reach& reach);

}  // namespace lapwing::compiler
