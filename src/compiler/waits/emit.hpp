// SPDX-License-Identifier: Apache-2.0
// Pieces of code that the pass emits.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <functional>
#include <string>
#include <vector>

#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {

/// Variables of a function that become SSA values again once all has been
/// placed. Their addresses are never taken.
class Slots {
 public:
  explicit Slots(llvm::Function& function) : function_(function) {}
  /// A variable that holds `initial` wherever nothing was stored.
  llvm::AllocaInst* make(llvm::Type* type, llvm::Constant* initial, const llvm::Twine& name);
  /// A slot that holds what `value` was where it was last taken; constants stay themselves.
  std::function<llvm::Value*(llvm::IRBuilder<>&)> keep(llvm::Value* value);
  /// Takes the values of all such slots, before `at`.
  void take(llvm::Instruction* at);
  void promote();

 private:
  llvm::Function& function_;
  std::vector<llvm::AllocaInst*> slots_;
  std::vector<std::pair<llvm::Value*, llvm::AllocaInst*>> kept_;
};

/// Memory of the function's own, as large as an MPI status or an integer.
llvm::AllocaInst* scratch(llvm::Function& function, llvm::Type* type, const llvm::Twine& name);

/// A function of include/lapwing/compiled.h. None has attributes that would let
/// anybody move an access to a buffer across it.
llvm::FunctionCallee runtime_function(llvm::Module& module, llvm::StringRef name, llvm::Type* result,
                                      llvm::ArrayRef<llvm::Type*> arguments);

/// Which call starts one half of a blocking call.
struct StartOf {
  llvm::StringRef stem;                              ///< lapwing_start_send, ...
  int buffer, count, type, rank, tag, comm, status;  ///< of the program's call; status -1 for none
};

/// The value of an argument that is none of the message's memory.
llvm::Value* scalar_argument(const MpiCall& call, int index, llvm::IRBuilder<>& builder);

/// Emits a start before `at`; where that is the program's invoke, in its place.
/// `gives_error`: through Fortran's argument for it.
llvm::CallBase* emit_start(const MpiCall& call, const StartOf& start, llvm::Instruction* at, bool keep_status,
                           bool gives_error);

/// Emits lapwing_start_bcast or another, by its stem: it takes all that the call
/// takes but Fortran's error.
llvm::CallBase* emit_collective(const MpiCall& call, llvm::StringRef stem, llvm::Type* result,
                                llvm::Instruction* at);

/// `if (condition) { body }` before `at`; `rare`: seldom, which the layout of the code may go by.
void emit_if(llvm::Value* condition, llvm::Instruction* at,
             const std::function<void(llvm::IRBuilder<>&)>& body, bool rare = false);

}  // namespace lapwing::compiler
