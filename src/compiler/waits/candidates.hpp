// SPDX-License-Identifier: Apache-2.0
// From a call to the transfers that are waited for there.
#pragma once

#include "compiler/waits/dependence_web.hpp"
#include "compiler/waits/divide.hpp"
#include "compiler/waits/rewrite.hpp"

namespace lapwing::compiler {

/// Whether a call may be split or moved, and has not been already.
bool is_candidate(const MpiCall& call);

/// Of calls that complete requests and are never moved: why, in a sentence's end; null of others.
const char* why_it_stays(const MpiCall& call);

struct Found {
  /// One; of a send-receive the two halves, in the order in which they start.
  llvm::SmallVector<Transfer, 2> transfers;
  MovedWait moved;
  std::optional<Division> division;  ///< of a Waitall, with the part of its sends
  Transfer sends;
  bool never_started = false;          ///< a wait for a request that nothing starts
  std::string failure;                 ///< why there are none
  llvm::Instruction* where = nullptr;  ///< what `failure` speaks of
};

/// `writes_of_unfinished`: of the call's function, see unfinished_sends.hpp.
Found find_transfers(const MpiCall& call, Memory& memory, EffectsOf& effects,
                     const Instructions& writes_of_unfinished);

/// Whether a receive can be split so that it returns once it is matched.
bool may_be_matched(const llvm::CallBase& call);
Transfer as_matched(const Transfer& posted, EffectsOf& effects);

}  // namespace lapwing::compiler
