// SPDX-License-Identifier: Apache-2.0
// Loops on the way to a nest touch memory that only their rounds find: a loop over a list of neighbours reads
// from the list where it unpacks what has come from each. A copy of such a loop without its work runs where
// the question is asked, and says for each round what it will touch (an inspector).
#pragma once

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/DomTreeUpdater.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <memory>
#include <optional>
#include <string>

#include "compiler/interior/accesses.hpp"

namespace lapwing::compiler {

class Survey {
 public:
  /// `home`: the loop that holds the nest and the way to it; or null.
  Survey(llvm::ScalarEvolution& scev, llvm::LoopInfo& loops, const llvm::DominatorTree& dominators,
         const llvm::Loop* home)
      : scev_(scev), loops_(loops), dominators_(dominators), home_(home) {}

  /// Of an access in a loop on the way. False where its rounds do not find it early enough either.
  bool add(llvm::Instruction& access);
  bool empty() const { return told_.empty(); }

  /// The question is asked before `asked`. `reached`: see Way. `is_settled`: whether a load on the way gives
  /// the same value where the question is asked.
  bool can_be_made(const llvm::Instruction& asked,
                   llvm::function_ref<std::optional<llvm::Value*>(llvm::BasicBlock&)> reached,
                   llvm::function_ref<bool(const llvm::LoadInst&)> is_settled);
  /// All that the rounds tell, each anew.
  llvm::SmallVector<const Footprint*, 8> footprints() const;

  /// Before `at`. `flags`: of a footprint, see emit_access.hpp. The trees hold afterwards; the loops of the
  /// copies are no loops of LoopInfo's.
  void emit(llvm::Instruction& at, llvm::function_ref<int(const Footprint&)> flags,
            llvm::DomTreeUpdater& trees);

 private:
  using Values = llvm::SmallSetVector<llvm::Instruction*, 32>;
  struct Surveyed {
    llvm::Value* reached = nullptr;              // whether the program comes to the loop; null for always
    llvm::SmallVector<llvm::BasicBlock*, 4> at;  // where its rounds tell what they touch
    llvm::SmallVector<llvm::Loop*, 4> left_out;  // loops inside that tell nothing
  };
  bool is_left_out(const Surveyed& one, const llvm::Instruction& i) const;
  void leave_out(Surveyed* one, llvm::ArrayRef<llvm::Loop*> inside) const;
  bool follow(llvm::Loop& loop, const Surveyed& one, const llvm::Instruction& asked, Values* needed) const;
  bool is_pure(const llvm::Instruction& i) const;
  static void copy_before(llvm::Instruction& i, const llvm::Loop& loop, const Values& needed,
                          llvm::Instruction& at, llvm::ValueToValueMapTy& map);
  void copy(llvm::Loop& loop, const Surveyed& one, const Values& needed, llvm::Instruction& at);

  llvm::ScalarEvolution& scev_;
  llvm::LoopInfo& loops_;
  const llvm::DominatorTree& dominators_;
  const llvm::Loop* home_;
  llvm::MapVector<llvm::BasicBlock*, std::unique_ptr<Accesses>> told_;  // at the end of a block
  llvm::MapVector<llvm::Loop*, Surveyed> surveyed_;
  llvm::SmallPtrSet<const llvm::Instruction*, 16> settled_;
};

}  // namespace lapwing::compiler
