// SPDX-License-Identifier: Apache-2.0
// On which communicators the branches of a split communicate, as far as their
// handles are known where control parts.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "compiler/sets/splits.hpp"
#include "compiler/sets/uniformity.hpp"

namespace lapwing::compiler {

/// One communicator: its handle, a constant or an argument, or where the handle stands in memory.
struct CommHint {
  llvm::Value* base;    ///< of the program
  std::int64_t offset;  ///< bytes from there
  bool in_memory;
  bool fortran;
  llvm::Type* type;  ///< of the handle
  bool is_constant() const { return !in_memory && llvm::isa<llvm::Constant>(base); }
  bool operator==(const CommHint& other) const {
    return base == other.base && offset == other.offset && in_memory == other.in_memory;
  }
};

struct CommHints {
  std::vector<CommHint> known;
  /// Some branch communicates on others as well, or may. None is passed then: the split concerns all
  /// of the process's communicators.
  bool others = false;
};

/// The communicator of a call; false where it cannot be told.
bool comm_of_call(const GroupCall& call, Uniformity& uniformity, CommHint* hint);

/// A handle counts only where it is certain to be the one that the call will read.
CommHints find_hints(const Split& split, const SetFlow& flow, const Reach& reach, Uniformity& uniformity);

/// The arguments `comms`, `handles` and `fortran` of lapwing_sets_split.
struct EmittedHints {
  llvm::Value *comms, *handles, *fortran;
};
EmittedHints emit_hints(llvm::IRBuilder<>& builder, const CommHints& hints);

}  // namespace lapwing::compiler
