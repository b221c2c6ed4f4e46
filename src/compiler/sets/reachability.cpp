// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/reachability.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <vector>

#include "compiler/sets/language_libraries.hpp"

namespace lapwing::compiler {
namespace {

using llvm::CallBase;
using llvm::Function;

// Whether a function of MPI's or of ours that a group does not call together. A call that asks for the
// current set, in include/lapwing/sets.h, waits for the votes as a collective does.
bool is_other_routine(llvm::StringRef symbol) {
  if (!routine_name(symbol).empty()) return !find_group_routine(symbol);
  // Declarations and short-cuts act on their communicator, whatever the set.
  for (const llvm::StringRef ours : {"lapwing_declare", "lapwing_shortcut_"})
    if (symbol.starts_with(ours)) return true;
  if (symbol == "lapwing_use" || symbol == "lapwing_define" || symbol == "lapwing_complete") return true;
  return symbol.starts_with("MPI_") || symbol.starts_with("MPIX_") || symbol.starts_with("PMPI");
}

}  // namespace

Reach::Reach(llvm::Module& module, const LibraryOf& library, bool messages) : messages_(messages) {
  for (Function& function : module) {
    if (!function.isDeclaration()) continue;
    if (is_other_routine(function.getName()) || is_library_function(function, library(function)))
      harmless_.insert(&function);
  }
  find_endings(module);
  find_reaching(module);
}

bool Reach::through_argument(const CallBase& call) const {
  for (const llvm::Value* argument : call.args()) {
    const auto* function = llvm::dyn_cast<Function>(argument->stripPointerCasts());
    if (function && reaching_.contains(function)) return true;
  }
  return false;
}

bool Reach::of_call(const CallBase& call) const {
  if (call.isInlineAsm() || llvm::isa<llvm::IntrinsicInst>(call)) return false;
  const Function* callee = callee_of(call);
  if (callee) {
    if (!callee->isDeclaration() && !callee->isInterposable()) return reaching_.contains(callee);
    return harmless_.contains(callee) ? through_argument(call) : reaching_.contains(callee);
  }
  // Through a pointer: whatever of this type has its address taken, and what comes from elsewhere.
  // The library's own headers call what the program gave them.
  const llvm::StringRef caller = call.getFunction()->getName();
  if (!is_of_cxx_library(caller) || calls_any_function(caller)) return true;
  for (const Function* function : reaching_) {
    if (function->hasAddressTaken() && function->getFunctionType() == call.getFunctionType()) return true;
  }
  return false;
}

Reaches Reach::operator()(const llvm::Instruction& instruction) const {
  const auto* call = llvm::dyn_cast<CallBase>(&instruction);
  if (!call) return Reaches::nothing;
  const auto alone = [](const GroupCall& one) {
    return one.comm() && known_comm(one.comm(), one.routine().interface) == KnownComm::self;
  };
  if (const auto group = GroupCall::of(instruction)) return alone(*group) ? Reaches::nothing : Reaches::call;
  if (messages_) {
    const auto message = GroupCall::of_message(instruction);
    if (message) return alone(*message) ? Reaches::nothing : Reaches::message;
  }
  return of_call(*call) ? Reaches::through : Reaches::nothing;
}

bool Reach::operator()(const llvm::BasicBlock& block) const {
  for (const llvm::Instruction& instruction : block)
    if ((*this)(instruction) != Reaches::nothing) return true;
  return false;
}

void Reach::find_reaching(llvm::Module& module) {
  for (Function& function : module) {
    // An unknown function of the program's other files may.
    if (function.isDeclaration() && !harmless_.contains(&function) && !find_group_routine(function.getName()))
      reaching_.insert(&function);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Function& function : module) {
      if (function.isDeclaration() || reaching_.contains(&function)) continue;
      for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        if ((*this)(instruction) == Reaches::nothing) continue;
        reaching_.insert(&function);
        changed = true;
        break;
      }
    }
  }
}

bool Reach::never_returns(const CallBase& call) const {
  if (call.doesNotReturn()) return true;
  const Function* callee = callee_of(call);
  return callee &&
         (never_returning_.contains(callee) || (callee->isDeclaration() && ends_program(callee->getName())));
}

bool Reach::ends(const llvm::BasicBlock& block) const {
  for (const llvm::Instruction& instruction : block) {
    const auto* call = llvm::dyn_cast<CallBase>(&instruction);
    // An exception may leave such a call.
    if (call && !llvm::isa<llvm::InvokeInst>(call) && never_returns(*call)) return true;
  }
  return false;
}

void Reach::find_endings(llvm::Module& module) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Function& function : module) {
      if (function.isDeclaration() || function.isInterposable() || never_returning_.contains(&function))
        continue;
      llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen{&function.getEntryBlock()};
      std::vector<const llvm::BasicBlock*> work{&function.getEntryBlock()};
      bool returns = false;
      while (!work.empty() && !returns) {
        const llvm::BasicBlock* block = work.back();
        work.pop_back();
        if (ends(*block)) continue;
        const llvm::Instruction* last = block->getTerminator();
        returns = llvm::isa<llvm::ReturnInst>(last) || llvm::isa<llvm::ResumeInst>(last);
        for (const llvm::BasicBlock* next : llvm::successors(block))
          if (seen.insert(next).second) work.push_back(next);
      }
      if (returns) continue;
      never_returning_.insert(&function);
      changed = true;
    }
  }
}

}  // namespace lapwing::compiler
