// SPDX-License-Identifier: Apache-2.0
// Changes the program: starts for blocking calls, waits at their new places.
#pragma once

#include <llvm/IR/Dominators.h>

#include "compiler/earlier.hpp"
#include "compiler/place.hpp"
#include "compiler/transfer.hpp"

namespace lapwing::compiler {

/// Splits `transfer.call` into its start and guarded waits at the placement's
/// points. A token that is pending is an SSA value, null where none is. For a
/// send-receive `other` is the placement of its other half, which starts with it.
struct Half {
  Transfer transfer;
  Placement placement;
  Earlier earlier;  ///< where it starts, if not where the call stood
};
void split(llvm::ArrayRef<Half> halves);

/// Moves the program's wait of a transfer.
struct MovedWait {
  bool error_is_dead = true;  ///< Fortran: nobody reads the error
  bool status_is_dead = true;
};
/// Leaves the wait where it is, and tells the helper from each start on that its
/// requests need progress: what the program overlaps itself.
void add_progress(const Transfer& transfer);

void move_wait(const Transfer& transfer, const Placement& placement, const MovedWait& how);

}  // namespace lapwing::compiler
