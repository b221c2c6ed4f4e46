// SPDX-License-Identifier: Apache-2.0
// LLVM drops the type (TBAA) of a load that it moves to where it was not sure to run. Other accesses of the
// same address, by the same type of the machine's, show what it was.
#pragma once

#include <llvm/IR/Function.h>

namespace lapwing::compiler {

/// Gives loads without a type that of all other accesses to the same pointer, if these agree. Whether there
/// were any.
bool restore_lost_types(llvm::Function& function);

}  // namespace lapwing::compiler
