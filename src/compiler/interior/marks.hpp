// SPDX-License-Identifier: Apache-2.0
// Marks by which the division of a loop tells the placing of waits: these instructions touch nothing of what
// this call has in flight. It was asked at run time, so no analysis could find it again. The marks are
// metadata; they hold until the pass has placed the waits, and are removed then, as other passes may not keep
// them true.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/InstrTypes.h>

namespace lapwing::compiler {

void mark_clear(llvm::ArrayRef<llvm::BasicBlock*> blocks, llvm::ArrayRef<llvm::CallBase*> calls);
bool is_clear_of(const llvm::Instruction& instruction, const llvm::CallBase& call);
/// Whether rounds of a loop may run before this call that stood behind it.
bool has_early_rounds(const llvm::CallBase& call);
void remove_marks(llvm::Function& function);

}  // namespace lapwing::compiler
