// SPDX-License-Identifier: Apache-2.0
// Sends whose requests are freed: nobody waits for them, and what tells the
// program that one is over is an answer of its receiver (MPI 3.1, example 3.13).
#pragma once

namespace llvm {
class Module;
}

namespace lapwing::compiler {

/// True where this file may free the request of a non-blocking send. Those of
/// persistent requests and of receives do not count, where that can be seen.
bool frees_sends(const llvm::Module& module);

}  // namespace lapwing::compiler
