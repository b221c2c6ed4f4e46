// SPDX-License-Identifier: Apache-2.0
// The question that compiled code asks before a nest that may be divided (lapwing_interior_*, compiled.h):
// which of its rounds touch nothing that is in flight?
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <string>

#include "compiler/interior/nest.hpp"
#include "compiler/mpi/calls.hpp"
#include "compiler/waits/emit.hpp"

namespace lapwing::compiler {

/// A call whose wait a nest stops.
struct WaitedCall {
  llvm::CallBase* call = nullptr;
  llvm::SmallVector<llvm::CallBase*, 4> starts;  ///< `call` itself where it blocks
  std::size_t buffers = 0;                       ///< that the placing of its wait knows of
};

class Question {
 public:
  /// It is asked before `at`. `kept`: what stands between here and the nest touches.
  Question(const Nest& nest, const Accesses& kept, llvm::SCEVExpander& expander, llvm::Instruction* at)
      : nest_(nest), kept_(kept), expander_(expander), at_(at), slots_(*at->getFunction()) {}

  /// Also of what this call has in flight: all of it, from the call on. False, and why, if that is not known
  /// here. `is_on_way`: of starts between here and the nest, which `kept` has.
  bool add(const WaitedCall& call, llvm::function_ref<bool(const llvm::Instruction&)> is_on_way,
           std::string& why);
  bool can_be_asked();

  struct Answer {
    llvm::Value *begin, *end, *rounds;
  };
  /// `condition`: whether the nest runs at all; or null.
  Answer ask(llvm::Value* condition);

 private:
  struct Message {
    llvm::CallBase* call;
    int buffer, count;
    std::uint64_t element;
    bool received;
    bool is_last;  ///< only what was started last can be in flight; else all that ever was
  };
  bool add_message(const MpiCall& call, int buffer, int count, int type, bool received, bool is_last,
                   std::string& why);
  llvm::Value* number(const llvm::SCEV* value);
  void ask_of(llvm::IRBuilder<>& builder, const Footprint& footprint, int flags);
  void ask_of(llvm::IRBuilder<>& builder, const Message& message);
  void call_access(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> arguments);

  const Nest& nest_;
  const Accesses& kept_;
  llvm::SCEVExpander& expander_;
  llvm::Instruction* at_;
  Slots slots_;
  llvm::SmallVector<Message, 8> messages_;
};

}  // namespace lapwing::compiler
