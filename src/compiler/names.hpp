// SPDX-License-Identifier: Apache-2.0
// What the program calls the memory that a remark speaks of.
#pragma once

#include <llvm/IR/Value.h>

#include <string>

namespace lapwing::compiler {

/// The variable that a pointer leads into, as `buff`: from debug information, or
/// a global's or the IR's own name. "the buffer" where there is none.
std::string buffer_name(const llvm::Value* pointer);

}  // namespace lapwing::compiler
