// SPDX-License-Identifier: Apache-2.0
// Calls in sibling branches that plain MPI would match with each other, and that
// sets make two.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>

#include "compiler/sets/communicator_hints.hpp"
#include "compiler/sets/splits.hpp"

namespace lapwing::compiler {

/// Adds the calls that have such a sibling to `marked`; warns of each pair where `warns`.
void find_siblings(const Split& split, const SetFlow& flow, const Reach& reach, Uniformity& uniformity,
                   bool warns, llvm::SmallPtrSetImpl<const llvm::CallBase*>& marked);

}  // namespace lapwing::compiler
