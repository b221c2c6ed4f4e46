// SPDX-License-Identifier: Apache-2.0
// Sends that nobody has waited for when their buffers are written again. MPI forbids that, but a program
// that has its receiver's answer knows that such a send is over, and some go by it (example 3.13 of MPI
// 3.1 does where the request is freed). A wait that tells such an answer must not come later than such a
// write.
#pragma once

#include <llvm/IR/Dominators.h>

#include "compiler/waits/dependence_web.hpp"

namespace lapwing::compiler {

/// The instructions of a function that may write the buffer of a send that nobody has waited for: none in
/// a program that keeps MPI's letter, as a rule. Where some way from the send to the write leads over a
/// wait that may be the send's, the other ways are taken for impossible (the last round's send, which
/// the first round has not; a wait behind a question). Asked before any wait is moved.
Instructions find_writes_of_unfinished(llvm::Function& function, Memory& memory, EffectsOf& effects,
                                       const llvm::DominatorTree& dominators);

}  // namespace lapwing::compiler
