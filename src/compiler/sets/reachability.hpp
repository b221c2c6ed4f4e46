// SPDX-License-Identifier: Apache-2.0
// From where control may come to a call that a group of processes makes
// together, and from where it never returns.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>

#include <functional>

#include "compiler/sets/collective_calls.hpp"

namespace lapwing::compiler {

/// The calls that one instruction may reach.
enum class Reaches {
  nothing,
  call,     ///< it is a group's call
  message,  ///< it sends or receives, and that counts
  through,  ///< a function of this module that may come to one, or one that is not known
};

class Reach {
 public:
  using LibraryOf = std::function<const llvm::TargetLibraryInfo&(llvm::Function&)>;
  /// `messages`: point-to-point communication counts, as in MIPS 3.
  Reach(llvm::Module& module, const LibraryOf& library, bool messages);

  /// Calls on MPI_COMM_SELF reach nothing.
  Reaches operator()(const llvm::Instruction& instruction) const;
  bool operator()(const llvm::BasicBlock& block) const;
  bool operator()(const llvm::Function& function) const { return reaching_.contains(&function); }
  /// Whether control never leaves the block by its terminator.
  bool ends(const llvm::BasicBlock& block) const;
  bool never_returns(const llvm::CallBase& call) const;
  /// Whether the module has a group's call, or may come to one, at all.
  bool any() const { return !reaching_.empty(); }

 private:
  void find_reaching(llvm::Module& module);
  void find_endings(llvm::Module& module);
  bool of_call(const llvm::CallBase& call) const;
  bool through_argument(const llvm::CallBase& call) const;

  bool messages_;
  llvm::SmallPtrSet<const llvm::Function*, 16> reaching_, harmless_, never_returning_;
};

}  // namespace lapwing::compiler
