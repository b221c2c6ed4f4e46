// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class Module;
}

namespace lapwing::compiler {

/// Asks the code generator to place each innermost loop of the module at a multiple of 64 bytes, as
/// `[[clang::code_align(64)]]` does. The pass calls this for a module that it has changed: code that was
/// added before a loop shifts it, and a short loop that then crosses one more line of the instruction cache
/// takes longer: the sparse product of NPB CG a twelfth; with 32 bytes a twenty-fifth. Loops with an
/// alignment of their own, and functions that are compiled for size, without optimisation or as cold, stay as
/// they are.
void align_inner_loops(llvm::Module& module);

}  // namespace lapwing::compiler
