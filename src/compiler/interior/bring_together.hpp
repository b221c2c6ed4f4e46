// SPDX-License-Identifier: Apache-2.0
// A loop can be divided only in the function that holds its exchange. Both are often functions of their own,
// and large or called from several places, so that the inliner leaves them alone.
#pragma once

#include <llvm/IR/PassManager.h>

#include "compiler/effects/effects.hpp"

namespace lapwing::compiler {

/// Has the inliner, which runs later, inline calls of functions that communicate where a loop follows, and
/// calls of functions with such a loop behind what communicates. Other calls of the same functions stay as
/// they are.
void bring_together(llvm::Module& module, llvm::FunctionAnalysisManager& manager, EffectsOf& effects);

}  // namespace lapwing::compiler
