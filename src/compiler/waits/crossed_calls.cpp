// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/crossed_calls.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/effects/library_calls.hpp"
#include "compiler/mpi/calls.hpp"
#include "compiler/waits/polls.hpp"

namespace lapwing::compiler {
namespace {

// A nest of fewer rounds is over before a poll would be worth its call: functions
// may be short, and called often.
constexpr unsigned first_rounds = 128;

llvm::Function* called_by(const llvm::Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
  llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && !callee->isDeclaration() ? callee : nullptr;
}

bool starts_transfers(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& i) {
    const auto call = MpiCall::of(i);
    if (!call) return false;
    return (call->kind() >= Kind::send && call->kind() <= Kind::test) || call->kind() == Kind::token_start;
  });
}

// See the header.
class Callers {
 public:
  bool are_outside_mpi(const llvm::Function& function) {
    llvm::SmallSetVector<const llvm::Function*, 8> above;
    above.insert(&function);
    for (std::size_t next = 0; next < above.size(); ++next) {
      const llvm::Function& one = *above[next];
      if (!one.hasLocalLinkage() || one.hasAddressTaken()) return false;
      for (const llvm::User* user : one.users()) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
        if (!call) return false;
        if (!communicates(*call->getFunction())) above.insert(call->getFunction());
      }
    }
    return true;
  }

 private:
  bool communicates(const llvm::Function& function) {
    const auto [known, is_new] = communicates_.try_emplace(&function, false);
    if (is_new) known->second = starts_transfers(function);
    return known->second;
  }

  llvm::DenseMap<const llvm::Function*, bool> communicates_;
};

// Other passes may move and leave out a function that only reads.
bool may_poll(const llvm::Function& function) {
  return !function.hasOptNone() && !function.hasMinSize() && !function.isPresplitCoroutine() &&
         !function.hasFnAttribute(llvm::Attribute::Naked) && !function.onlyReadsMemory() &&
         llvm::none_of(llvm::instructions(function), [](const llvm::Instruction& i) {
           const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
           return call && call->isMustTailCall();
         });
}

// MPI's memory is nobody's here, but it is touched: for the function and all above it.
void tell_of_mpi(llvm::Function& function) {
  llvm::SmallSetVector<llvm::Function*, 8> above;
  above.insert(&function);
  for (std::size_t next = 0; next < above.size(); ++next) {
    llvm::Function& one = *above[next];
    if (one.getMemoryEffects() != llvm::MemoryEffects::unknown())
      one.setMemoryEffects(one.getMemoryEffects() | llvm::MemoryEffects::inaccessibleMemOnly());
    one.removeFnAttr(llvm::Attribute::NoSync);
    one.removeFnAttr(llvm::Attribute::NoFree);
    for (llvm::User* user : one.users())
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) above.insert(call->getFunction());
  }
}

}  // namespace

void CrossedCalls::note(const Half& half) {
  if (half.earlier.at) note_from(half.earlier.at, half.placement);
  note_from(half.transfer.call->getNextNode(), half.placement);
  for (const llvm::BasicBlock* block : half.placement.crossed) note_from(&block->front(), half.placement);
}

void CrossedCalls::note_from(const llvm::Instruction* first, const Placement& placement) {
  for (const llvm::Instruction* i = first; i; i = i->getNextNode()) {
    if (llvm::any_of(placement.points, [&](const Stop& stop) { return stop.at == i; })) return;
    if (llvm::Function* callee = called_by(*i)) called_.insert(callee);
  }
}

bool CrossedCalls::add_polls(llvm::FunctionAnalysisManager& manager) {
  // A signal's handler may jump out of whatever is called below a setjmp.
  if (called_.empty() || llvm::any_of(*called_.front()->getParent(), may_be_jumped_into)) return false;
  Callers callers;
  bool changed = false;
  for (std::size_t next = 0; next < called_.size(); ++next) {
    llvm::Function& function = *called_[next];
    for (const llvm::Instruction& i : llvm::instructions(function))
      if (llvm::Function* callee = called_by(i)) called_.insert(callee);
    if (!may_poll(function) || !callers.are_outside_mpi(function)) continue;
    const auto latches = loops_to_poll(manager.getResult<llvm::LoopAnalysis>(function),
                                       manager.getResult<llvm::DominatorTreeAnalysis>(function));
    if (latches.empty()) continue;
    compiler::add_polls(latches, first_rounds);
    tell_of_mpi(function);
    manager.invalidate(function, llvm::PreservedAnalyses::none());
    changed = true;
  }
  return changed;
}

}  // namespace lapwing::compiler
