// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Instructions.h>

#include "compiler/alias/memory.hpp"

namespace lapwing::compiler {

/// Whether the program computes with what a load reads, orders it, or finds an address by it. It does nothing
/// of the kind with a request: handles are assigned and compared for equality (MPI 4.0, 2.5.1).
bool is_no_request(const llvm::LoadInst& load);

/// The effects of an instruction, without those touches of an MPI call that do not meet what a load reads:
/// MPI writes requests, which no program computes with, and in C and C++ floating-point numbers where they
/// are variables.
Effects effects_on(const llvm::LoadInst& load, const llvm::Instruction& i, EffectsOf& effects);

/// Whether an instruction may change what a load reads, in any round of a loop.
bool may_change(const llvm::Instruction& i, const llvm::LoadInst& load, Memory& memory, EffectsOf& effects);

}  // namespace lapwing::compiler
