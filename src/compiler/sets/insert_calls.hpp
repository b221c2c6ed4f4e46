// SPDX-License-Identifier: Apache-2.0
// The calls of include/lapwing/compiled_sets.h are put into the program.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "compiler/sets/communicator_hints.hpp"
#include "compiler/sets/exception_handlers.hpp"
#include "compiler/sets/place_constants.hpp"
#include "compiler/sets/splits.hpp"

namespace lapwing::compiler {

class SetsInserter {
 public:
  explicit SetsInserter(llvm::Module& module);

  /// Marks a group's call.
  void mark(const GroupCall& call, bool has_sibling);
  /// All splits of a function with their merges. `hints` goes with `splits`.
  void splits(llvm::Function& function, const std::vector<const Split*>& splits,
              const std::vector<CommHints>& hints);
  /// A call through a pointer that may part processes. After splits().
  void pointer_call(const PointerCall& call);
  /// A caught exception leaves what the call that threw it has split, and the scopes around it.
  void handler(const Handler& handler);
  /// The library learns the mode, and the targets of pointers, before MPI_Init.
  void declare(int mode, const std::vector<Target>& targets);

 private:
  llvm::FunctionCallee runtime(llvm::StringRef name, llvm::Type* result,
                               llvm::ArrayRef<llvm::Type*> arguments);
  void split_at_br(const Split& split, const CommHints& hints);
  void split_at_switch(const Split& split, const CommHints& hints);
  void call_split(llvm::IRBuilder<>& builder, llvm::Constant* site, llvm::Value* branch,
                  const CommHints& hints);
  void call_merge(llvm::IRBuilder<>& builder, llvm::BasicBlock* meeting);
  void bracket(llvm::Function& function);

  llvm::Module& module_;
  SetPlaces places_;
  llvm::Type *void_, *integer_;
  llvm::PointerType* pointer_;
};

}  // namespace lapwing::compiler
