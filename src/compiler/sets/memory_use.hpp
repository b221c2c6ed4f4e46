// SPDX-License-Identifier: Apache-2.0
// What MPI and the languages' libraries do to memory: which arguments a call
// writes to, and whether all processes get the same there.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include <vector>

#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {

enum class Writes {
  differs,        ///< each process its own
  equal,          ///< the same everywhere
  equal_on_comm,  ///< the same on all processes of the communicator
  size_of_comm,   ///< likewise
  own_rank,       ///< the process' rank in the communicator, or in a group where there is none
  duplicate,      ///< a communicator with the group of the call's
  from_inputs,    ///< computed from the other arguments and what was there
};

struct Output {
  int argument;
  Writes writes;
  int count = -1, type = -1;  ///< how much, where arguments say it
};

/// The outputs of a call of MPI's that is over when it returns and keeps no
/// address. Everything else it only reads.
struct MemoryUse {
  std::vector<Output> outputs;
  int comm = -1;
  Interface interface = Interface::c;
  bool result_differs = false;  ///< it returns no error code
};

/// False where nothing is known.
bool memory_use(const llvm::CallBase& call, MemoryUse* use);

/// Attributes for alias analysis at all calls of a function that are known.
void state_memory_use(llvm::Function& function);

/// Whether the program asks for errors to be returned, so that error codes differ.
bool asks_for_errors(const llvm::Module& module);

}  // namespace lapwing::compiler
