// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/earlier.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>

#include <array>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/effects/library_calls.hpp"
#include "compiler/effects/parallel_regions.hpp"
#include "compiler/planted.hpp"

namespace lapwing::compiler {
namespace {

class Climber {
 public:
  Climber(const Transfer& transfer, Memory& memory, EffectsOf& effects, const Flow& flow)
      : transfer_(transfer),
        memory_(memory),
        effects_(effects),
        flow_(flow),
        call_(*MpiCall::of(*transfer.call)) {}

  Earlier run() {
    if (llvm::isa<llvm::InvokeInst>(transfer_.call)) return {};
    // The other half sends what the buffer held before.
    if (call_.kind() == Kind::sendrecv_replace) return {};
    for (const llvm::Use& argument : transfer_.call->args()) needed_.insert(argument.get());
    llvm::BasicBlock* block = transfer_.call->getParent();
    llvm::Instruction* last = transfer_.call->getPrevNode();
    while (climb(*block, last)) {
      llvm::BasicBlock* above = run_as_often(block);
      if (!above || !pass_between(above, block)) break;
      block = above;
      last = block->getTerminator();
    }
    earlier_.reads.assign(loads_.begin(), loads_.end());
    if (call_.is_fortran())
      for (int index : scalars())
        if (!constant_argument(call_, index))
          earlier_.reads.emplace_back(call_.argument(index), llvm::LocationSize::precise(4));
    return std::move(earlier_);
  }

 private:
  // Upward through one block; true at its begin.
  bool climb(llvm::BasicBlock& block, llvm::Instruction* last) {
    for (llvm::Instruction* i = last; i; i = i->getPrevNode()) {
      if (llvm::isa<llvm::PHINode>(i)) return !needs_phi(block);
      if (i->isEHPad()) return false;  // which stands first in its block
      // Behind the start they would be dynamic ones: it may part their block.
      if (llvm::isa<llvm::AllocaInst>(i) && !needed_.contains(i)) continue;
      if (needed_.contains(i)) {
        if (!goes_along(*i)) return false;
        earlier_.companions.insert(earlier_.companions.begin(), i);
        for (const llvm::Use& operand : i->operands()) needed_.insert(operand.get());
        continue;
      }
      if (conflicts(*i)) return false;
      const auto* passed = llvm::dyn_cast<llvm::CallBase>(i);
      const bool works =
          passed && !llvm::isa<llvm::IntrinsicInst>(i) && !stays_in_team(*passed) && !reads_clock(*passed);
      earlier_.worth += works ? worth_of_call : 1;
      earlier_.at = i;
    }
    return true;
  }

  bool needs_phi(llvm::BasicBlock& block) const {
    for (const llvm::PHINode& phi : block.phis())
      if (needed_.contains(&phi)) return true;
    return false;
  }

  // Loads and arithmetic that the arguments come from.
  bool goes_along(llvm::Instruction& i) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
      if (!load->isSimple()) return false;
      if (effects_.module_properties(*i.getModule()).shares_memory && reaches_others(i, effects_(i), true))
        return false;
      loads_.push_back(llvm::MemoryLocation::get(load).getWithoutAATags());
      return true;
    }
    return !i.mayReadOrWriteMemory() && !i.mayHaveSideEffects() && !llvm::isa<llvm::AllocaInst>(i) &&
           !i.isTerminator() && !llvm::isa<llvm::CallBase>(i);
  }

  bool conflicts(llvm::Instruction& i) {
    if (llvm::isa<llvm::AllocaInst>(i)) return false;
    const Effects e = effects_(i);
    // A receive that is posted before a standard send gives nothing away and matches
    // the same message. The starts of a wait are not looked up: nothing passes one.
    const unsigned allowed = transfer_.shape == Shape::receive ? static_cast<unsigned>(sends) : 0u;
    if ((e.seen & ~allowed) || e.ends_stack) return true;
    const ModuleProperties& file = effects_.module_properties(*i.getModule());
    if ((e.seen & sends) && file.sends_synchronously && (file.exposes_memory || may_be_synchronous(i)))
      return true;
    // It may be what tells others that they may read what was written before, or write what was read.
    if (file.shares_memory && reaches_others(i, e, transfer_.shape == Shape::send)) return true;
    for (const InFlight& buffer : transfer_.buffers) {
      if (has(Planted::climb)) break;
      const auto info = memory_.meet(i, e, buffer.where);
      if (llvm::isModSet(info) || (buffer.written && llvm::isRefSet(info))) return true;
    }
    for (const llvm::MemoryLocation& load : loads_)
      if (llvm::isModSet(memory_.meet(i, e, load))) return true;
    // Scalars by reference, and the error that the start gives.
    if (call_.is_fortran()) {
      for (int index : scalars()) {
        const llvm::MemoryLocation where(call_.argument(index), llvm::LocationSize::precise(4));
        if (llvm::isModSet(memory_.meet(i, e, where)) && !stores_its_constant(i, index)) return true;
      }
      if (const llvm::Value* error = call_.error()) {
        const llvm::MemoryLocation where(error, llvm::LocationSize::precise(4));
        if (llvm::isRefSet(memory_.meet(i, e, where))) return true;
      }
    }
    const int status = call_.routine().status;
    if (status >= 0 && call_.argument(status)->getType()->isPointerTy() && !transfer_.touched.empty()) {
      const llvm::MemoryLocation where(call_.argument(status), llvm::LocationSize::upperBound(status_bytes));
      if (llvm::isModOrRefSet(memory_.meet(i, e, where))) return true;
    }
    return false;
  }

  // Of a function's summary it is not known.
  static bool may_be_synchronous(const llvm::Instruction& i) {
    const auto call = MpiCall::of(i);
    return !call || call->kind() == Kind::ssend || call->kind() == Kind::token_start;
  }

  // Of the half of a send-receive that this is.
  std::array<int, 5> scalars() const {
    const Routine& r = call_.routine();
    if (r.kind != Kind::sendrecv || transfer_.shape == Shape::send)
      return {r.count, r.type, r.rank, r.tag, r.comm};
    return {r.receive + 1, r.receive + 2, r.receive + 3, r.receive + 4, r.comm};
  }

  // flang's variables for constants: the same is known wherever the start is.
  bool stores_its_constant(const llvm::Instruction& i, int index) const {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
    return store && store->getPointerOperand() == call_.argument(index) && constant_argument(call_, index);
  }

  // The nearest block above that runs exactly as often, in the same loop.
  llvm::BasicBlock* run_as_often(llvm::BasicBlock* block) const {
    const llvm::Loop* loop = flow_.loops.getLoopFor(block);
    const auto* node = flow_.dominators.getNode(block);
    for (node = node ? node->getIDom() : nullptr; node; node = node->getIDom()) {
      llvm::BasicBlock* above = node->getBlock();
      // Neither comes round again without the other: `continue`, and loops with two ways in.
      if (flow_.loops.getLoopFor(above) == loop && flow_.post_dominators.dominates(block, above) &&
          !comes_round(*above, *block) && !comes_round(*block, *above))
        return above;
    }
    return nullptr;
  }

  // Whether a way leads from a block back to itself that does not pass the other.
  static bool comes_round(const llvm::BasicBlock& one, const llvm::BasicBlock& other) {
    llvm::SmallPtrSet<const llvm::BasicBlock*, 32> entered;
    llvm::SmallVector<const llvm::BasicBlock*, 16> work(llvm::successors(&one));
    while (!work.empty()) {
      const llvm::BasicBlock* next = work.pop_back_val();
      if (next == &one) return true;
      if (next != &other && entered.insert(next).second)
        work.append(llvm::succ_begin(next), llvm::succ_end(next));
    }
    return false;
  }

  // All that lies on ways from `above` to `block`.
  bool pass_between(llvm::BasicBlock* above, llvm::BasicBlock* block) {
    llvm::SmallPtrSet<llvm::BasicBlock*, 16> between;
    llvm::SmallVector<llvm::BasicBlock*, 16> work(llvm::predecessors(block));
    while (!work.empty()) {
      llvm::BasicBlock* one = work.pop_back_val();
      if (one == above || one == block || !between.insert(one).second) continue;
      if (!flow_.dominators.dominates(above, one)) return false;
      work.append(llvm::pred_begin(one), llvm::pred_end(one));
    }
    bool loops = false;
    for (llvm::BasicBlock* one : between) {
      for (llvm::Instruction& i : *one)
        if (needed_.contains(&i) || conflicts(i)) return false;
      loops |= flow_.loops.isLoopHeader(one);
      earlier_.worth += static_cast<unsigned>(one->size());
    }
    if (loops) earlier_.worth += worth_of_loop;
    return true;
  }

  const Transfer& transfer_;
  Memory& memory_;
  EffectsOf& effects_;
  const Flow& flow_;
  MpiCall call_;
  Earlier earlier_;
  llvm::SmallPtrSet<const llvm::Value*, 16> needed_;
  llvm::SmallVector<llvm::MemoryLocation, 8> loads_;
};

}  // namespace

Earlier find_earlier(const Transfer& transfer, Memory& memory, EffectsOf& effects, const Flow& flow) {
  return Climber(transfer, memory, effects, flow).run();
}

void move_companions(const Earlier& earlier) {
  for (llvm::Instruction* one : earlier.companions) one->moveBefore(earlier.at);
}

}  // namespace lapwing::compiler
