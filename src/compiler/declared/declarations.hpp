// SPDX-License-Identifier: Apache-2.0
// The calls of declared communication, as they stand in a program.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <optional>
#include <vector>

namespace lapwing::compiler {

/// The accesses of a declaration to one of its buffers, some time after it.
enum Later : unsigned { reads_later = 1, writes_later = 2 };

struct DeclaredBuffer {
  llvm::CallBase* call;
  llvm::Value *buffer, *count, *type;
  unsigned later;
  bool fortran;
};

/// The buffers that a call declares; empty if it declares nothing.
std::vector<DeclaredBuffer> declared_buffers(llvm::CallBase& call);

/// The effect of a call of Lapwing's on declarations.
enum class DeclaredCall {
  none,       ///< it is none of these
  declares,   ///< declared_buffers() has what
  completes,  ///< lapwing_complete: all have happened
  neutral,    ///< touches no memory of the program's: uses, queries
};
DeclaredCall declared_call(const llvm::CallBase& call);

}  // namespace lapwing::compiler
