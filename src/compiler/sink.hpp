// SPDX-License-Identifier: Apache-2.0
// One function: every candidate is matched, placed, checked and moved.
#pragma once

#include <llvm/IR/PassManager.h>

#include "compiler/effects.hpp"
#include "compiler/options.hpp"
#include "compiler/profile.hpp"

namespace lapwing::compiler {

/// True if the function was changed. Analyses of `manager` are then recomputed.
bool sink_waits(llvm::Function& function, llvm::FunctionAnalysisManager& manager, EffectsOf& effects,
                const Options& options, const Profile& profile);

}  // namespace lapwing::compiler
