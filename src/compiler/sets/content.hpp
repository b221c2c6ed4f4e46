// SPDX-License-Identifier: Apache-2.0
// Whether memory holds the same on all processes where it is read.
//
// A walk from a load back over what may have written there, through calls of
// this module's functions and out to all who call: all that can reach the load
// must have written equal values, on ways that all processes go together.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/IR/Instructions.h>

#include "compiler/mpi/calls.hpp"
#include "compiler/sets/uniformity.hpp"

namespace lapwing::compiler {

class Content {
 public:
  explicit Content(Uniformity& of) : of_(of) {}

  bool equal(const llvm::LoadInst& load);
  /// Whether a communicator that is passed to a call has the group of MPI_COMM_WORLD.
  bool is_world(const llvm::CallBase& call, const llvm::Value* comm, Interface interface);

 private:
  enum class Asked { equal, world };
  /// From which call the walk came into a function; null at the outermost.
  struct Frame {
    Known* caller;
    const llvm::CallBase* call;
    llvm::MemoryLocation location;
    const Frame* above;
  };
  struct At {
    Known* known;
    llvm::MemoryLocation location;
    const Frame* frame;
    int depth;
  };
  bool before(const At& at, llvm::MemoryAccess* access, const llvm::BasicBlock* reader);
  bool holds(const At& at, llvm::MemoryAccess* access, const llvm::BasicBlock* reader);
  bool holds_at_entry(const At& at);
  bool holds_after_store(const At& at, llvm::MemoryDef& def, const llvm::StoreInst& store);
  bool holds_after_call(const At& at, llvm::MemoryDef& def, const llvm::CallBase& call);
  bool holds_after_own(const At& at, llvm::MemoryDef& def, const llvm::CallBase& call);
  bool holds_after_copy(const At& at, llvm::MemoryDef& def, const llvm::CallBase& call);
  bool world_value(Known& known, const llvm::Value* value, int depth);
  bool walk(const At& at, llvm::MemoryAccess* access, const llvm::BasicBlock* reader);
  llvm::AAResults& aliases(Known& known);

  Uniformity& of_;
  Asked asked_ = Asked::equal;
  int budget_ = 0;
  using Step = std::pair<std::pair<const void*, const void*>, std::pair<const void*, std::uint64_t>>;
  llvm::DenseSet<Step> seen_;
};

}  // namespace lapwing::compiler
