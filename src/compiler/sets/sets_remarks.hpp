// SPDX-License-Identifier: Apache-2.0
// What the user is told about sets: -Rpass=lapwing-sets shows the splits,
// -Rpass-analysis=lapwing-sets the branches that need none,
// -Rpass-missed=lapwing-sets what was refused.
#pragma once

#include "compiler/sets/splits.hpp"

namespace lapwing::compiler {

void remark_split(const Split& split);
/// Of a call through a pointer.
void remark_pointer(const llvm::Instruction& call);
void remark_uniform(const Split& split);
void remark_refused(const RefusedSplit& refused);
/// Of a call in a handler of exceptions.
void remark_refused_in_handler(const llvm::Instruction& call);
void remark_refused(const llvm::Function& function, llvm::StringRef why);

}  // namespace lapwing::compiler
