// SPDX-License-Identifier: Apache-2.0
// A transfer as the pass sees it: where it is in flight from, what memory is
// in flight, and what may be crossed before it is waited for.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/IR/Instructions.h>

#include <optional>
#include <string>

#include "compiler/effects/effects.hpp"
#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {

using Instructions = llvm::SmallPtrSet<const llvm::Instruction*, 4>;

/// Memory that MPI reads or writes until the wait.
struct InFlight {
  llvm::MemoryLocation where;
  bool written = false;   ///< received into: reads stop the wait as well
  bool floating = false;  ///< of floating-point numbers, sent as such: no access to an integer meets it
};

/// How a transfer comes to have a wait.
enum class Shape {
  send,          ///< a blocking send, split
  receive,       ///< a blocking receive, split; posted
  matched,       ///< a blocking receive, split; returns once matched
  program_wait,  ///< a wait of the program's
  collective,    ///< a blocking collective, split
};

// Instructions that a wait may cross. The end of a standard send tells no process anything. A
// receive's does (rule 1), but once it is matched no more than its payload is
// outstanding.
constexpr unsigned crossed_by_sends = posts | completes | receives | probes | sends;
constexpr unsigned crossed_by_matched = posts | completes | receives | probes | sends;
constexpr unsigned crossed_by_posted = posts | completes | receives;
// All members may have met in it: neither the program nor others may do anything
// from which it could be learnt that they have not.
constexpr unsigned crossed_by_collectives = posts | completes;

struct Transfer {
  Shape shape = Shape::send;
  /// The call that is split, or the program's wait: what follows it is crossed.
  llvm::CallBase* call = nullptr;
  /// The calls that put it in flight; `call` itself where that is split.
  llvm::SmallVector<llvm::CallBase*, 4> starts;
  llvm::SmallVector<InFlight, 4> buffers;
  /// Request, and status where somebody reads it: neither may be read or written
  /// before the wait.
  llvm::SmallVector<llvm::MemoryLocation, 4> touched;
  unsigned crosses = 0;
  /// Several may be outstanding at once: the start stops nothing.
  bool queued = false;
  /// The program looks at the error of `call`, which is split or moved only where
  /// there can be none; see versioned_calls.hpp.
  bool checked = false;
  /// Its end may be all that tells that a send is over whose request was freed
  /// (example 3.13 of MPI 3.1).
  bool answers = false;
  /// If its end may tell that sends are over that nobody has waited for: what writes their buffers;
  /// see unfinished_sends.hpp.
  const Instructions* writes_of_unfinished = nullptr;
  /// Its end may be all that tells that others have done with memory that they share.
  bool acquires = false;

  std::string name;  ///< MPI_Send, for remarks

  bool is_start(const llvm::Instruction& instruction) const {
    for (const llvm::CallBase* start : starts)
      if (start == &instruction) return true;
    return false;
  }
};

}  // namespace lapwing::compiler
