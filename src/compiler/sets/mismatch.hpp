// SPDX-License-Identifier: Apache-2.0
// Collective calls that only some processes come to, found while compiling.
//
// A branch that is not proved uniform, and that depends on the process' rank, leads
// to calls that its other ways do not make: `--sets=check` warns of the first of
// them. Calls of a way are counted by name and communicator, through functions of
// the same file too; order within a way is not looked at.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>

#include "compiler/sets/reachability.hpp"
#include "compiler/sets/splits.hpp"
#include "compiler/sets/uniformity.hpp"

namespace lapwing::compiler {

/// Whether a branch of the model depends on what MPI says of the process' rank.
bool depends_on_rank(const llvm::Instruction& branch, Model& model);

/// Warns of a split's calls that have no counterpart, each once: `told` has those that were.
void warn_of_mismatch(const Split& split, const SetFlow& flow, const Reach& reach, Uniformity& uniformity,
                      llvm::SmallPtrSetImpl<const llvm::Instruction*>& told);

}  // namespace lapwing::compiler
