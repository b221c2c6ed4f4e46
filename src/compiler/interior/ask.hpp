// SPDX-License-Identifier: Apache-2.0
// The question that compiled code asks before a nest that may be divided (lapwing_interior_*, compiled.h):
// which of its rounds touch nothing that is in flight?
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Analysis/DomTreeUpdater.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <string>

#include "compiler/interior/lookups.hpp"
#include "compiler/interior/nest.hpp"
#include "compiler/interior/survey.hpp"
#include "compiler/mpi/calls.hpp"
#include "compiler/waits/emit.hpp"

namespace lapwing::compiler {

/// A call whose wait a nest stops.
struct WaitedCall {
  llvm::CallBase* call = nullptr;
  llvm::SmallVector<llvm::CallBase*, 4> starts;  ///< `call` itself where it blocks
  llvm::SmallVector<InFlight, 4> buffers;        ///< that the placing of its wait knows of
};

class Question {
 public:
  /// It is asked before `at`. `kept`, and in loops `survey`: what stands between here and the nest touches.
  Question(const Nest& nest, const Accesses& kept, Survey& survey, Lookups& lookups,
           llvm::SCEVExpander& expander, llvm::Instruction* at)
      : nest_(nest),
        kept_(kept),
        survey_(survey),
        lookups_(lookups),
        expander_(expander),
        at_(at),
        slots_(*at->getFunction()) {}

  /// Also of what this call has in flight: all of it, from the call on. False, and why, if that is not known
  /// here. `is_from_here`: of starts between here and the nest, which `kept` has.
  bool add(const WaitedCall& call, llvm::function_ref<bool(const llvm::Instruction&)> is_from_here,
           std::string& why);
  bool can_be_asked();
  /// Tells the lookups what they may meet. Before anything is asked.
  void look_up();

  struct Sides {
    llvm::Value *begin, *end, *rounds;
  };
  struct Answer {
    llvm::Value *begin, *end, *rounds;
    llvm::SmallVector<Sides, 2> inside;  ///< of the loops inside that are divided as well; see Nest
    Avoided avoided;                     ///< for lookups that may meet something
  };
  /// `condition`: whether the nest runs at all; or null. The trees and loops are kept up to date; behind what
  /// is asked the block goes on in another one, with the place that was given.
  Answer ask(llvm::Value* condition, llvm::DomTreeUpdater& trees, llvm::LoopInfo& loops);

 private:
  struct Message {
    llvm::CallBase* call;
    int buffer, count;
    int type;               ///< the argument, where the datatype is derived; else -1
    std::uint64_t element;  ///< bytes, of a basic datatype
    bool received;
    bool is_last;  ///< only what was started last can be in flight; else all that ever was
    bool is_met;   ///< by lookups
    llvm::AllocaInst *low = nullptr, *high = nullptr;  ///< where the last one lies
    /// Or what the run time has noted: of a derived datatype its lapwing_layout, else all (lapwing_given).
    llvm::AllocaInst* noted = nullptr;
  };
  int met_by_lookups(const Footprint& footprint) const;
  bool add_message(const WaitedCall& waited, const MpiCall& call, int buffer, int count, int type,
                   bool received, bool is_last, std::string& why);
  void note(Message& message);
  llvm::AllocaInst* words(unsigned count, const char* name);
  llvm::Value* bytes_in_flight(llvm::IRBuilder<>& builder);
  void ask_of(llvm::IRBuilder<>& builder, const Message& message);

  const Nest& nest_;
  const Accesses& kept_;
  Survey& survey_;
  Lookups& lookups_;
  llvm::SCEVExpander& expander_;
  llvm::Instruction* at_;
  Slots slots_;
  llvm::SmallVector<Message, 8> messages_;
  llvm::SmallPtrSet<const Footprint*, 8> met_;
};

}  // namespace lapwing::compiler
