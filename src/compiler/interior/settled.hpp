// SPDX-License-Identifier: Apache-2.0
// Which loads of the way to a loop, or of the loop, give the same value at the way's begin.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

#include "compiler/effects/effects.hpp"
#include "compiler/waits/dependence_web.hpp"
#include "compiler/waits/transfer.hpp"

namespace lapwing::compiler {

/// Whether this gives back memory, which is none that the rounds use: they could run behind it.
bool gives_back(const llvm::Instruction& i);
/// Whether the memory of a variable ends here.
bool ends_life(const llvm::Instruction& i);

struct WayToLoop {
  llvm::ArrayRef<llvm::BasicBlock*> blocks;
  const llvm::Loop& loop;
  llvm::ArrayRef<InFlight> received;  ///< by what is waited for on the way
  Memory& memory;
  EffectsOf& effects;
};

/// Neither an instruction on the way or in the loop nor a message writes what is loaded.
bool is_settled(const llvm::LoadInst& load, const WayToLoop& way);

}  // namespace lapwing::compiler
