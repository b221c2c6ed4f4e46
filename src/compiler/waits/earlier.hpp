// SPDX-License-Identifier: Apache-2.0
// Starting earlier: a receive is posted, and a send started, as soon as its
// buffer and the order of matching allow.
#pragma once

#include "compiler/waits/place.hpp"

namespace lapwing::compiler {

struct Earlier {
  llvm::Instruction* at = nullptr;  ///< the start goes before this; null where it stays
  /// What its arguments are computed from and has to go along, in order.
  llvm::SmallVector<llvm::Instruction*, 8> companions;
  unsigned worth = 0;  ///< of what it has been moved above
  /// What is read where it starts: by its companions, and Fortran's scalars.
  llvm::SmallVector<llvm::MemoryLocation, 8> reads;
};

/// Looks upward from a call that is to be split, through blocks that run as
/// often as it does, past computation that neither its buffer, its arguments nor
/// its error depend on. A receive passes sends as well; nothing else of MPI's is passed but queries.
Earlier find_earlier(const Transfer& transfer, Memory& memory, EffectsOf& effects, const Flow& flow);

/// Moves the companions before `earlier.at`.
void move_companions(const Earlier& earlier);

}  // namespace lapwing::compiler
