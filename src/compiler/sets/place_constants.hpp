// SPDX-License-Identifier: Apache-2.0
// The constants that describe splits, merges and calls to the runtime: the
// structures of include/lapwing/compiled_sets.h.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include <string>

#include "compiler/sets/collective_calls.hpp"
#include "compiler/sets/indirect_calls.hpp"
#include "compiler/sets/splits.hpp"

namespace lapwing::compiler {

class SetPlaces {
 public:
  explicit SetPlaces(llvm::Module& module);

  llvm::Constant* split_site(const Split& split);
  llvm::Constant* merge_site(const llvm::BasicBlock* block);
  llvm::Constant* pointer_site(const PointerCall& call);
  /// All that is known of this file's functions, as an array.
  llvm::Constant* targets(const std::vector<Target>& targets);
  llvm::Constant* call_site(const GroupCall& call, bool has_sibling);

 private:
  llvm::Constant* text(llvm::StringRef words);
  llvm::Constant* place(const llvm::Instruction* instruction, const llvm::Function& function);
  llvm::Constant* global(llvm::Constant* value, const llvm::Twine& name);

  llvm::Module& module_;
  llvm::StructType *place_, *merge_site_, *split_merge_, *split_site_, *call_site_, *pointer_site_, *target_;
  llvm::StringMap<llvm::Constant*> texts_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::Constant*> merges_;
};

/// The name that the author gave a function.
std::string author_name(const llvm::Function& function);

}  // namespace lapwing::compiler
