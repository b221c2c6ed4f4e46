// SPDX-License-Identifier: Apache-2.0
// Changes the program: starts for blocking calls, waits at their new places.
#pragma once

#include <llvm/IR/Dominators.h>

#include "compiler/waits/earlier.hpp"
#include "compiler/waits/place.hpp"
#include "compiler/waits/transfer.hpp"

namespace lapwing::compiler {

struct Half {
  Transfer transfer;
  Placement placement;
  Earlier earlier;  ///< where it starts, if not where the call stood
  /// The description that verify mode is given of it; see verify.hpp.
  llvm::Constant* verified_as = nullptr;
  /// If callers wait for what is outstanding at the function's end: where its token goes; see handed.hpp.
  llvm::GlobalVariable* handed = nullptr;
};

/// Splits a call into its start and guarded waits at the placement's points. A
/// token that is pending is an SSA value, null where none is. A send-receive has
/// two halves.
void split(llvm::ArrayRef<Half> halves);

/// Moves the program's wait of a transfer.
struct MovedWait {
  bool status_is_dead = true;
  /// If its error is looked at: the communicator of all its requests, if known.
  llvm::Constant* comm = nullptr;
  /// To be verified: where it stands now; see verify.hpp.
  std::string verified_at{};
};
void move_wait(const Transfer& transfer, const Placement& placement, const MovedWait& how);

/// Moves a wait that was handed over: the call `half.transfer.call`, for `token`.
void move_handed(const Half& half, llvm::Instruction* token);

/// Leaves the wait where it is, and tells the helper from each start on that its
/// requests need progress: what the program overlaps itself.
void add_progress(const Transfer& transfer);

}  // namespace lapwing::compiler
