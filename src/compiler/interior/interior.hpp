// SPDX-License-Identifier: Apache-2.0
// Interior first: where a loop nest stops waits, and only some of its rounds touch what is in flight, the
// others become a copy of their own that runs before it. The waits are then placed as any waits are, behind
// that copy.
#pragma once

#include <llvm/IR/PassManager.h>

#include "compiler/effects/effects.hpp"
#include "compiler/options.hpp"
#include "compiler/profile.hpp"
#include "compiler/remarks.hpp"

namespace lapwing::compiler {

/// Before the waits of the function are placed. Whether the function was changed.
bool divide_nests(llvm::Function& function, llvm::FunctionAnalysisManager& manager, EffectsOf& effects,
                  const Options& options, const Profile& profile, Remarks& remarks);

}  // namespace lapwing::compiler
