// SPDX-License-Identifier: Apache-2.0
// Questions about memory: whether two locations may meet in any round of a loop, what an instruction does to
// a location, and which memory only the function itself reaches.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/AliasAnalysis.h>

#include "compiler/effects/effects.hpp"

namespace lapwing::compiler {

/// Alias analysis that holds across iterations of any loop.
class Memory {
 public:
  explicit Memory(llvm::AAResults& results) : aliases_(results) { aliases_.enableCrossIterationMode(); }

  bool may_alias(const llvm::MemoryLocation& a, const llvm::MemoryLocation& b);
  bool must_alias(const llvm::MemoryLocation& a, const llvm::MemoryLocation& b) {
    return aliases_.isMustAlias(a, b);
  }
  /// Whether both are sure to have bytes in common.
  bool overlaps(const llvm::MemoryLocation& a, const llvm::MemoryLocation& b) {
    const auto result = aliases_.alias(a, b);
    return result == llvm::AliasResult::MustAlias || result == llvm::AliasResult::PartialAlias;
  }
  llvm::ModRefInfo of(const llvm::Instruction& instruction, const llvm::MemoryLocation& where);
  /// How a touch of an instruction meets a location.
  llvm::ModRefInfo meet(const Touch& touch, const llvm::MemoryLocation& where);
  /// How an instruction meets a location.
  llvm::ModRefInfo meet(const llvm::Instruction& instruction, const Effects& effects,
                        const llvm::MemoryLocation& where);

  /// An allocation whose allocatable may have handed it on to another since: who owns it tells nothing.
  void forget_owner(const llvm::Value* object) { handed_on_.insert(object); }
  bool has_forgotten(const llvm::Value* object) const { return handed_on_.contains(object); }
  /// Of all of them: where nobody says which have been handed on.
  void forget_owners() { knows_owners_ = false; }
  bool has_forgotten_any() const { return !handed_on_.empty(); }

 private:
  bool are_other_objects(const llvm::Value* a, const llvm::Value* b);
  /// Whether nothing that `pointer` leads to is part of what an allocatable owns.
  bool is_apart_from(const llvm::GlobalVariable& owner, const llvm::Value* pointer) const;
  bool is_hidden(const llvm::Value* object);
  bool may_be_exchanged(const llvm::MemoryLocation& a, const llvm::MemoryLocation& b);
  llvm::BatchAAResults aliases_;
  llvm::SmallPtrSet<const llvm::Value*, 4> handed_on_;
  llvm::DenseMap<const llvm::Value*, bool> hidden_;
  bool knows_owners_ = true;
};

/// Whether an object's address goes nowhere but into calls of which `quiet` says
/// that they keep it to themselves, argument by argument.
using CallKeepsQuiet = llvm::function_ref<bool(const llvm::CallBase& call, unsigned argument)>;
bool stays_with_calls(const llvm::Value* object, CallKeepsQuiet quiet);

/// Whether only this function's own code and MPI calls that keep no pointer
/// reach a variable, or memory that was allocated: calls of unknown functions then leave it alone.
bool is_private(const llvm::Value* object);

/// Whether an instruction writes, or `reads` as well, what others than this
/// function may touch.
bool reaches_others(const llvm::Instruction& instruction, const Effects& effects, bool reads);

}  // namespace lapwing::compiler
