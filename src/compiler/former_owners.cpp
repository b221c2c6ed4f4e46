// SPDX-License-Identifier: Apache-2.0
#include "compiler/former_owners.hpp"

#include <llvm/IR/InstIterator.h>

#include "compiler/allocations.hpp"

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

// Nothing that is read or hands on is erased later: only MPI calls are.
void FormerOwners::find(const llvm::Function& function, Memory& memory, EffectsOf& effects) {
  found_ = true;
  for (const llvm::Instruction& i : llvm::instructions(function)) {
    const llvm::GlobalVariable* owner = i.getType()->isPointerTy() ? owner_of(&i) : nullptr;
    if (owner && may_hand_on(*owner)) owners_[owner].reads.push_back(&i);
  }
  for (auto& [owner, owned] : owners_) {
    const auto descriptor = llvm::MemoryLocation::getBeforeOrAfter(owner);
    for (const llvm::Instruction& i : llvm::instructions(function))
      if (i.mayWriteToMemory() && llvm::isModSet(memory.meet(i, effects(i), descriptor)))
        owned.hand_on.insert(&i);
  }
}

void FormerOwners::forget(const llvm::CallBase& call, Memory& memory, EffectsOf& effects,
                          const llvm::DominatorTree& dominators) {
  if (!found_) find(*call.getFunction(), memory, effects);
  for (const auto& [owner, owned] : owners_) {
    if (owned.hand_on.empty()) continue;
    for (const llvm::Instruction* read : owned.reads) {
      // What is read again below the call is of its own moment.
      if (!dominators.dominates(read, &call) && !is_chosen(*read)) continue;
      if (any_between(*read, call, [&](const auto& between) { return owned.hand_on.contains(&between); }))
        memory.forget_owner(read);
    }
  }
}

}  // namespace lapwing::compiler
