// SPDX-License-Identifier: Apache-2.0
// Mistakes in the program that the pass happens to see: a buffer that is
// touched while it is in flight.
#pragma once

#include <llvm/IR/Dominators.h>

#include "compiler/waits/dependence_web.hpp"
#include "compiler/waits/transfer.hpp"

namespace lapwing::compiler {

/// An access between a start and the transfer's wait that certainly touches its
/// buffer against MPI's rules, on every run that gets there; null if none is seen.
struct Touched {
  llvm::CallBase* start = nullptr;
  llvm::Instruction* access = nullptr;
  bool writes = false;
};
Touched find_touched(const Transfer& transfer, Memory& memory, EffectsOf& effects,
                     const llvm::DominatorTree& dominators);

}  // namespace lapwing::compiler
