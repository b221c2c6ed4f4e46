// SPDX-License-Identifier: Apache-2.0
// Three copies of a loop in place of one: for its rounds [begin, end) where the question was asked, for
// [0, begin) and [end, all) where it stood.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/interior/nest.hpp"

namespace lapwing::compiler {

struct DividedLoop {
  llvm::SmallVector<llvm::BasicBlock*, 16> interior;  ///< the blocks of the copy that runs first
  llvm::SmallVector<llvm::BasicBlock*, 3> headers;
};

/// Whether the counters of a loop can be set to any round at the end of `early`, and all that it uses is
/// known there.
bool can_be_divided(const Nest& nest, const llvm::BasicBlock& early, llvm::ScalarEvolution& scev,
                    llvm::SCEVExpander& expander);

/// `begin`, `end`, `rounds`: numbers of 64 bits, known at the end of `early`, a block that goes on to one
/// other only; where begin >= end, both are 0. The analyses of the function hold no longer.
DividedLoop divide_loop(const Nest& nest, llvm::BasicBlock& early, llvm::Value* begin, llvm::Value* end,
                        llvm::Value* rounds, llvm::ScalarEvolution& scev, llvm::SCEVExpander& expander);

}  // namespace lapwing::compiler
