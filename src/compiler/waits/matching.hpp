// SPDX-License-Identifier: Apache-2.0
// Wait matching (Das 3.1): which starts a wait waits for.
#pragma once

#include <string>

#include "compiler/waits/dependence_web.hpp"

namespace lapwing::compiler {

struct Match {
  /// Calls that put a request in flight that this wait may wait for.
  llvm::SmallVector<llvm::CallBase*, 4> starts;
  /// Where their buffers are named: the starts, or the *_init of persistent ones.
  llvm::SmallVector<llvm::CallBase*, 4> buffers;
  /// Starts in this function that an earlier call of it may have made.
  llvm::SmallVector<llvm::CallBase*, 4> of_earlier_calls;
  bool never_started = false;          ///< a mistake in the program
  std::string failure;                 ///< why it cannot be told, if so
  llvm::Instruction* where = nullptr;  ///< what `failure` speaks of
};

/// Goes back from a Wait or Waitall on all ways to all that may have written its
/// requests. Fails unless each of that is a start, a completion or a constant.
Match match(const MpiCall& wait, Memory& memory, EffectsOf& effects);

/// The location of a wait's request or requests.
llvm::MemoryLocation requests_of(const MpiCall& wait);

}  // namespace lapwing::compiler
