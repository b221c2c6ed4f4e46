// SPDX-License-Identifier: Apache-2.0
#include "compiler/alias/loaded_value.hpp"

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/mpi/calls.hpp"
#include "compiler/waits/split_collectives.hpp"

namespace lapwing::compiler {
bool is_no_request(const llvm::LoadInst& load) {
  llvm::SmallVector<const llvm::Value*, 4> work{&load};
  for (unsigned n = 0; n < work.size() && n < 8; ++n) {
    for (const llvm::User* user : work[n]->users()) {
      const auto* compared = llvm::dyn_cast<llvm::ICmpInst>(user);
      if (llvm::isa<llvm::BinaryOperator>(user) || llvm::isa<llvm::GetElementPtrInst>(user) ||
          (compared && compared->isRelational()) || llvm::getLoadStorePointerOperand(user) == work[n])
        return true;
      if (llvm::isa<llvm::SExtInst, llvm::ZExtInst, llvm::PtrToIntInst>(user)) work.push_back(user);
    }
  }
  return false;
}

namespace {

bool is_apart(const Touch& touch, const MpiCall& call, const llvm::LoadInst& load, bool may_be_request) {
  const Routine& r = call.routine();
  if (!may_be_request && r.any_request() >= 0 && touch.pointer == call.argument(r.any_request())) return true;
  if (r.kind == Kind::collective) return false;
  for (const auto& [buffer, type] : {std::pair(r.buffer, r.type), std::pair(r.receive, r.receive + 2)}) {
    if (buffer >= 0 && touch.pointer == call.argument(buffer) && is_floating(call, type) &&
        is_no_floating_access(load, touch.pointer))
      return true;
  }
  return false;
}

}  // namespace

Effects effects_on(const llvm::LoadInst& load, const llvm::Instruction& i, EffectsOf& effects) {
  Effects done = effects(i);
  if (const auto call = MpiCall::of(i)) {
    const bool may_be_request = !is_no_request(load);
    llvm::erase_if(done.touches,
                   [&](const Touch& touch) { return is_apart(touch, *call, load, may_be_request); });
  }
  return done;
}

bool may_change(const llvm::Instruction& i, const llvm::LoadInst& load, Memory& memory, EffectsOf& effects) {
  if (!i.mayWriteToMemory()) return false;
  const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&i);
  if (copy && writes_floating_numbers(i) && is_no_floating_access(load, copy->getRawDest())) return false;
  return llvm::isModSet(memory.meet(i, effects_on(load, i, effects), llvm::MemoryLocation::get(&load)));
}

}  // namespace lapwing::compiler
