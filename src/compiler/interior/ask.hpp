// SPDX-License-Identifier: Apache-2.0
// The question that compiled code asks before a nest that may be divided (lapwing_interior_*, compiled.h):
// which of its rounds touch nothing that is in flight?
#pragma once

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <string>

#include "compiler/interior/nest.hpp"
#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {

/// A call whose wait a nest stops.
struct WaitedCall {
  llvm::CallBase* call = nullptr;
  llvm::SmallVector<llvm::CallBase*, 4> starts;  ///< `call` itself where it blocks
  std::size_t buffers = 0;                       ///< that the placing of its wait knows of
};

class Question {
 public:
  Question(const Nest& nest, llvm::ScalarEvolution& scev, llvm::SCEVExpander& expander,
           const llvm::DominatorTree& dominators)
      : nest_(nest),
        scev_(scev),
        expander_(expander),
        dominators_(dominators),
        at_(nest.loop->getLoopPreheader()->getTerminator()) {}

  /// Also of what this call has in flight: all of it, from the call on. False, and why, if that is not known
  /// here.
  bool add(const WaitedCall& call, std::string& why);
  bool can_be_asked();

  struct Answer {
    llvm::Value *begin, *end, *rounds;
  };
  /// Emits it in the nest's preheader.
  Answer ask();

 private:
  struct Message {
    llvm::CallBase* call;
    int buffer, count;
    std::uint64_t element;
    bool received;
  };
  bool add_message(const MpiCall& call, int buffer, int count, int type, bool received, std::string& why);
  llvm::Value* number(const llvm::SCEV* value);
  void ask_of(llvm::IRBuilder<>& builder, const Footprint& footprint);
  void ask_of(llvm::IRBuilder<>& builder, const Message& message);
  void call_access(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> arguments);

  const Nest& nest_;
  llvm::ScalarEvolution& scev_;
  llvm::SCEVExpander& expander_;
  const llvm::DominatorTree& dominators_;
  llvm::Instruction* at_;
  llvm::SmallVector<Message, 8> messages_;
};

}  // namespace lapwing::compiler
