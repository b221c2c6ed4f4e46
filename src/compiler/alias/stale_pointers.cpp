// SPDX-License-Identifier: Apache-2.0
#include "compiler/alias/stale_pointers.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

#include "compiler/alias/allocations.hpp"
#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {
namespace {

// Whether an address, or one within what it leads to, may be of an earlier round.
bool is_chosen(const llvm::Value& address) {
  return llvm::any_of(address.users(), [](const llvm::User* user) {
    if (llvm::isa<llvm::PHINode>(user) || llvm::isa<llvm::SelectInst>(user)) return true;
    return llvm::isa<llvm::GetElementPtrInst>(user) && is_chosen(*user);
  });
}

}  // namespace

// Found before anything is changed.
void StalePointers::find(const llvm::Function& function, Memory& memory, EffectsOf& effects) {
  found_ = true;
  for (const llvm::Instruction& i : llvm::instructions(function)) {
    const llvm::GlobalVariable* owner = i.getType()->isPointerTy() ? owner_of(&i) : nullptr;
    if (owner && may_hand_on(*owner)) owners_[owner].reads.push_back(&i);
  }
  if (owners_.empty()) return;
  for (const llvm::Instruction& i : llvm::instructions(function)) {
    if (!i.mayWriteToMemory()) continue;
    const Effects e = effects(i);
    for (auto& [owner, owned] : owners_)
      if (llvm::isModSet(memory.meet(i, e, llvm::MemoryLocation::getBeforeOrAfter(owner))))
        owned.hand_on.insert(&i);
  }
  for (auto& [owner, owned] : owners_)
    if (!owned.hand_on.empty()) follow(function, owned);
}

// Forward: all that have been read are stale behind what hands on, and one no more once it is read again.
// The second half of the bits says which have been read.
void StalePointers::follow(const llvm::Function& function, Owned& owned) {
  const auto size = static_cast<unsigned>(owned.reads.size());
  llvm::DenseMap<const llvm::Instruction*, unsigned> number;
  for (unsigned i = 0; i < size; ++i) number[owned.reads[i]] = i;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> of_interest;
  for (const llvm::Instruction* i : owned.reads) of_interest.insert(i->getParent());
  for (const llvm::Instruction* i : owned.hand_on) of_interest.insert(i->getParent());
  const auto step = [&](const llvm::Instruction& i, llvm::BitVector& stale) {
    if (owned.hand_on.contains(&i))
      for (unsigned n = 0; n < size; ++n)
        if (stale[size + n]) stale.set(n);
    if (const auto read = number.find(&i); read != number.end()) {
      stale.reset(read->second);
      stale.set(size + read->second);
    }
  };
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector> at_begin;
  at_begin[&function.getEntryBlock()].resize(2 * size);
  llvm::SmallSetVector<const llvm::BasicBlock*, 16> work;
  work.insert(&function.getEntryBlock());
  while (!work.empty()) {
    const llvm::BasicBlock* block = work.pop_back_val();
    llvm::BitVector stale = at_begin[block];
    if (of_interest.contains(block))
      for (const llvm::Instruction& i : *block) step(i, stale);
    for (const llvm::BasicBlock* next : llvm::successors(block)) {
      const auto [place, is_new] = at_begin.try_emplace(next, stale);
      if (!is_new && !stale.test(place->second)) continue;
      place->second |= stale;
      work.insert(next);
    }
  }
  for (auto& [block, stale] : at_begin) {
    for (const llvm::Instruction& i : *block) {
      if (MpiCall::of(i)) {
        llvm::BitVector of_values = stale;
        of_values.resize(size);
        if (of_values.any()) owned.stale[&i] = std::move(of_values);
      }
      if (of_interest.contains(block)) step(i, stale);
    }
  }
}

void StalePointers::add(const llvm::CallBase& call, const llvm::CallBase& made_of) {
  for (auto& [owner, owned] : owners_) {
    const auto known = owned.stale.find(&made_of);
    if (known == owned.stale.end()) continue;
    const llvm::BitVector stale = known->second;
    owned.stale[&call] = stale;
  }
}

void StalePointers::forget(const llvm::CallBase& call, Memory& memory, EffectsOf& effects,
                           const llvm::DominatorTree& dominators) {
  if (!found_) find(*call.getFunction(), memory, effects);
  for (const auto& [owner, owned] : owners_) {
    const auto at_call = owned.stale.find(&call);
    if (at_call == owned.stale.end()) continue;
    for (const unsigned i : at_call->second.set_bits()) {
      const llvm::Instruction* read = owned.reads[i];
      // A value that is read again below the call is of its own moment.
      if (dominators.dominates(read, &call) || is_chosen(*read)) memory.forget_owner(read);
    }
  }
}

}  // namespace lapwing::compiler
