// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/mistakes.hpp"

#include <llvm/IR/CFG.h>

#include "compiler/waits/region.hpp"

namespace lapwing::compiler {
namespace {

// The first certain touch between `start` and anything that completes requests.
Touched look(llvm::CallBase& start, const Transfer& transfer, Memory& memory, EffectsOf& effects,
             const llvm::DominatorTree& dominators) {
  const auto call = MpiCall::of(start);
  const Routine& r = call->routine();
  const bool receives = call->kind() == Kind::irecv;
  const llvm::MemoryLocation buffer(call->argument(r.buffer), message_size(*call, r.count, r.type));
  if (!buffer.Size.hasValue()) return {};
  llvm::SmallVector<llvm::Instruction*, 8> work{after(start)};
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> entered;
  while (!work.empty()) {
    for (llvm::Instruction* i = work.pop_back_val(); i; i = i->getNextNode()) {
      const Effects e = effects(*i);
      if (i == transfer.call || i == &start || (e.seen & (completes | outside))) break;
      const bool simple = llvm::isa<llvm::LoadInst>(i) || llvm::isa<llvm::StoreInst>(i);
      for (const Touch& touch : e.touches) {
        if (!simple || !(touch.writes || (receives && touch.reads))) continue;
        const llvm::MemoryLocation where(touch.pointer, touch.size);
        // Sure to run whenever the transfer was started, and sure to overlap.
        if (memory.overlaps(where, buffer) && dominators.dominates(&start, i) &&
            dominators.dominates(i, transfer.call))
          return {&start, i, touch.writes};
      }
      if (!i->isTerminator()) continue;
      for (llvm::BasicBlock* next : llvm::successors(i->getParent()))
        if (entered.insert(next).second) work.push_back(&next->front());
    }
  }
  return {};
}

}  // namespace

Touched find_touched(const Transfer& transfer, Memory& memory, EffectsOf& effects,
                     const llvm::DominatorTree& dominators) {
  for (llvm::CallBase* start : transfer.starts) {
    if (start->getFunction() != transfer.call->getFunction()) continue;
    const auto kind = MpiCall::of(*start)->kind();
    if (kind != Kind::isend && kind != Kind::issend && kind != Kind::irecv) continue;
    if (Touched found = look(*start, transfer, memory, effects, dominators); found.access) return found;
  }
  return {};
}

}  // namespace lapwing::compiler
