// SPDX-License-Identifier: Apache-2.0
// Three copies of a loop in place of one: for its rounds [begin, end) where the question was asked, for
// [0, begin) and [end, all) where it stood. Of a loop that may put rounds aside there are two: the second
// runs all that is left, run after run.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/interior/ask.hpp"
#include "compiler/interior/nest.hpp"
#include "compiler/interior/remembering.hpp"

namespace lapwing::compiler {

struct DividedLoop {
  llvm::SmallVector<llvm::BasicBlock*, 16> interior;  ///< the blocks of the copy that runs first
  llvm::SmallVector<llvm::BasicBlock*, 3> headers;
};

/// Whether the counters of a loop can be set to any round at the end of `early`, and all that it uses is
/// known there.
bool can_be_divided(const Nest& nest, const llvm::BasicBlock& early, llvm::ScalarEvolution& scev,
                    llvm::SCEVExpander& expander);

/// `answer`: numbers of 64 bits, known at the end of `early`, a block that goes on to one other only; where
/// begin >= end, both are 0. `remembering`: of what the lookups find, where it can be; or null. The analyses
/// of the function hold no longer.
DividedLoop divide_loop(const Nest& nest, llvm::BasicBlock& early, const Question::Answer& answer,
                        Lookups& lookups, Remembering* remembering, llvm::ScalarEvolution& scev,
                        llvm::SCEVExpander& expander);

}  // namespace lapwing::compiler
