// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/settled.hpp"

#include <llvm/IR/IntrinsicInst.h>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/effects/library_calls.hpp"
#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {

using llvm::Instruction;

bool gives_back(const Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
  return call && gives_back(*call);
}

bool ends_life(const Instruction& i) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  return intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::lifetime_end;
}

namespace {

// Whether the program computes with what a load reads, orders it, or finds an address by it. It does nothing
// of the kind with a request: handles are assigned and compared for equality (MPI 4.0, 2.5.1).
bool is_no_request(const llvm::LoadInst& load) {
  llvm::SmallVector<const llvm::Value*, 4> work{&load};
  for (unsigned n = 0; n < work.size() && n < 8; ++n) {
    for (const llvm::User* user : work[n]->users()) {
      const auto* compared = llvm::dyn_cast<llvm::ICmpInst>(user);
      if (llvm::isa<llvm::BinaryOperator>(user) || llvm::isa<llvm::GetElementPtrInst>(user) ||
          (compared && compared->isRelational()) || llvm::getLoadStorePointerOperand(user) == work[n])
        return true;
      if (llvm::isa<llvm::SExtInst>(user) || llvm::isa<llvm::ZExtInst>(user)) work.push_back(user);
    }
  }
  return false;
}

}  // namespace

bool is_settled(const llvm::LoadInst& load, const WayToLoop& way) {
  if (!load.isSimple()) return false;
  const auto where = llvm::MemoryLocation::get(&load);
  const bool may_be_request = !is_no_request(load);
  const auto writes = [&](const Instruction& i) {
    if (!i.mayWriteToMemory() || gives_back(i) || ends_life(i)) return false;
    const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&i);
    if (copy && writes_floating_numbers(i) && is_no_floating_access(load, copy->getRawDest())) return false;
    const Effects effects = way.effects(i);
    const auto call = MpiCall::of(i);
    const int request = call ? call->routine().any_request() : -1;
    if (may_be_request || request < 0 || effects.ask_llvm)
      return llvm::isModSet(way.memory.meet(i, effects, where));
    return llvm::any_of(effects.touches, [&](const Touch& touch) {
      return touch.pointer != call->argument(request) && llvm::isModSet(way.memory.meet(touch, where));
    });
  };
  const auto writes_none = [&](const llvm::BasicBlock* block) { return llvm::none_of(*block, writes); };
  return llvm::all_of(way.blocks, writes_none) && llvm::all_of(way.loop.blocks(), writes_none) &&
         llvm::none_of(way.received, [&](const InFlight& buffer) {
           return !(buffer.floating && is_no_floating_access(load, buffer.where.Ptr)) &&
                  way.memory.may_alias(where, buffer.where);
         });
}

}  // namespace lapwing::compiler
