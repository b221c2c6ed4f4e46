// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/dependence_web.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/effects/library_calls.hpp"
#include "compiler/interior/marks.hpp"
#include "compiler/names.hpp"
#include "compiler/planted.hpp"
#include "compiler/waits/versioned_calls.hpp"

namespace lapwing::compiler {

using llvm::ModRefInfo;

const std::optional<Reason>& Web::stops(const llvm::Instruction& instruction) {
  const auto [place, fresh] = known_.try_emplace(&instruction);
  if (fresh) {
    auto reason = find(instruction);
    auto& slot = known_[&instruction];
    slot = std::move(reason);
    return slot;
  }
  return place->second;
}

bool any_between(const llvm::Instruction& from, const llvm::Instruction& to,
                 llvm::function_ref<bool(const llvm::Instruction&)> holds, const llvm::BasicBlock* gate) {
  // A way to `to` that does not come from `from` is none of these.
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> reached, entered;
  llvm::SmallVector<const llvm::BasicBlock*, 16> ahead(llvm::successors(from.getParent()));
  while (!ahead.empty()) {
    const llvm::BasicBlock* next = ahead.pop_back_val();
    if (reached.insert(next).second) ahead.append(llvm::succ_begin(next), llvm::succ_end(next));
  }
  reached.insert(from.getParent());
  if (!reached.contains(to.getParent())) return false;
  llvm::SmallVector<const llvm::Instruction*, 16> work{to.getPrevNode()};
  const llvm::BasicBlock* block = to.getParent();
  if (gate) entered.insert(gate);
  while (true) {
    const llvm::Instruction* i = work.pop_back_val();
    while (i && i != &from && !holds(*i)) i = i->getPrevNode();
    if (i && i != &from) return true;
    if (!i)
      for (const llvm::BasicBlock* before : llvm::predecessors(block))
        if (reached.contains(before) && entered.insert(before).second)
          work.push_back(before->getTerminator());
    if (work.empty()) return false;
    block = work.back()->getParent();
  }
}

// A queue may hold what an earlier round has started on another communicator,
// and this round's call may have failed on its own.
bool Web::never_goes(const llvm::Instruction& terminator, const llvm::BasicBlock& next) const {
  if (!transfer_.checked || transfer_.queued) return false;
  const llvm::BasicBlock* success = way_of_success(terminator, *transfer_.call);
  return success && success != &next;
}

// Of a mistake that a test has planted: what is overlooked.
static bool is_overlooked(const llvm::Instruction& instruction, const InFlight& buffer) {
  const bool stores = llvm::isa<llvm::StoreInst>(instruction);
  return (has(Planted::writes) && stores && !buffer.written) ||
         (has(Planted::overwrites) && stores && buffer.written) ||
         (has(Planted::reads) && llvm::isa<llvm::LoadInst>(instruction) && buffer.written) ||
         (has(Planted::blocks) && llvm::isa<llvm::MemIntrinsic>(instruction)) ||
         (has(Planted::calls) && llvm::isa<llvm::CallBase>(instruction) && !MpiCall::of(instruction));
}

std::optional<Reason> Web::find(const llvm::Instruction& instruction) {
  // The wait itself, or what puts the next one in flight.
  if (&instruction == transfer_.call && transfer_.shape == Shape::program_wait)
    return Reason{"the same wait, once more"};
  if (transfer_.is_start(instruction) && !transfer_.queued) return Reason{"its own start, once more"};

  const Effects effects = effects_(instruction);
  if (effects.seen & ~transfer_.crosses) {
    if (effects.why) return Reason{effects.why};
    const unsigned why = effects.seen & ~transfer_.crosses;
    if ((why & sends) && transfer_.shape == Shape::collective)
      return Reason{"others may learn from this send that the collective is over"};
    if (why & sends) return Reason{"others may learn from this send that the receive is over"};
    if (why & collective) return Reason{"a collective call"};
    if ((why & receives) && !(why & probes)) return Reason{"a receive, from which much may be learnt"};
    return Reason{"a call that looks for messages"};
  }
  if (transfer_.answers && reaches_others(instruction, effects, false))
    return Reason{"a write to what may still be sent, by another address or with its request freed"};
  if (transfer_.writes_of_unfinished && transfer_.writes_of_unfinished->contains(&instruction))
    return Reason{"a write to what a send that nobody has waited for may still read"};
  if (transfer_.acquires && reaches_others(instruction, effects, true))
    return Reason{"an access to memory that others may share, of which this may tell"};
  const auto outlives_dynamic_stack = [](const llvm::Value* pointer) {
    const llvm::Value* object = llvm::getUnderlyingObject(pointer);
    if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(object)) return local->isStaticAlloca();
    return llvm::isa<llvm::GlobalVariable>(object) || llvm::isa<llvm::Argument>(object) ||
           llvm::isNoAliasCall(object);
  };
  // Asked at run time, where the loop was divided, of the message that was started last.
  const bool is_clear = !transfer_.queued && is_clear_of(instruction, *transfer_.call);
  for (const InFlight& buffer : transfer_.buffers) {
    if (is_clear) break;
    if (effects.ends_stack && !outlives_dynamic_stack(buffer.where.Ptr))
      return Reason{"the buffer may end here"};
    if (buffer.floating && is_no_floating_access(instruction, buffer.where.Ptr)) continue;
    if (is_overlooked(instruction, buffer)) continue;
    const ModRefInfo info = memory_.meet(instruction, effects, buffer.where);
    if (llvm::isModSet(info)) {
      const bool call = llvm::isa<llvm::CallBase>(instruction);
      return Reason{(call ? "a call that may write to " : "a write to ") + buffer_name(buffer.where.Ptr)};
    }
    if (buffer.written && llvm::isRefSet(info)) {
      const bool call = llvm::isa<llvm::CallBase>(instruction);
      return Reason{(call ? "a call that may read " : "a read of ") + buffer_name(buffer.where.Ptr)};
    }
  }
  for (const llvm::MemoryLocation& where : transfer_.touched) {
    if (has(Planted::status)) break;
    if (effects.ends_stack && !outlives_dynamic_stack(where.Ptr))
      return Reason{"the request or status may end here"};
    if (llvm::isModOrRefSet(memory_.meet(instruction, effects, where)))
      return Reason{"a use of the request or the status"};
  }
  return {};
}

// A dummy argument that an MPI call only reads is no other one that MPI calls
// write their error to: Fortran forbids to pass one variable for both.
static bool is_scalar_argument(const llvm::Instruction& instruction, const Touch& touch,
                               const llvm::Value* object) {
  const auto call = MpiCall::of(instruction);
  return call && call->is_fortran() && touch.reads && !touch.writes && touch.pointer != call->error() &&
         touch.size == llvm::LocationSize::precise(4) && llvm::isa<llvm::Argument>(touch.pointer) &&
         llvm::isa<llvm::Argument>(object) && touch.pointer != object;
}

bool is_same_in_all_rounds(const llvm::Value* pointer) {
  const llvm::Value* base = pointer->stripInBoundsConstantOffsets();
  return llvm::isa<llvm::AllocaInst>(base) || !llvm::isa<llvm::Instruction>(base);
}

bool is_read_after(const llvm::Instruction& from, const llvm::MemoryLocation& where, bool at_exit,
                   Memory& memory, EffectsOf& effects) {
  const llvm::Value* object = llvm::getUnderlyingObject(where.Ptr);
  const bool local = llvm::isa<llvm::AllocaInst>(object);
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> entered;
  llvm::SmallVector<const llvm::Instruction*, 16> work;
  const auto follow = [&](const llvm::Instruction& terminator) {
    for (unsigned i = 0; i < terminator.getNumSuccessors(); ++i) {
      const llvm::BasicBlock* next = terminator.getSuccessor(i);
      if (entered.insert(next).second) work.push_back(&next->front());
    }
  };
  // An invoke ends its block.
  if (from.isTerminator()) {
    follow(from);
  } else {
    work.push_back(from.getNextNode());
  }
  while (!work.empty()) {
    for (const llvm::Instruction* i = work.pop_back_val(); i; i = i->getNextNode()) {
      if (llvm::isa<llvm::ReturnInst>(i) || llvm::isa<llvm::ResumeInst>(i)) {
        if (at_exit && !local) return true;
        break;
      }
      if (llvm::isa<llvm::UnreachableInst>(i)) break;
      const Effects e = effects(*i);
      // Written as a whole by an MPI call or a store, read by neither.
      bool overwritten = false, read = false;
      for (const Touch& touch : e.touches) {
        if (is_scalar_argument(*i, touch, object)) continue;
        const ModRefInfo info = memory.meet(touch, where);
        read |= llvm::isRefSet(info);
        // The status of one call is that of another; a store must be as large.
        const bool call = llvm::isa<llvm::CallBase>(i);
        overwritten |=
            llvm::isModSet(info) && touch.whole && touch.pointer && is_same_in_all_rounds(where.Ptr) &&
            touch.pointer->stripPointerCasts() == where.Ptr->stripPointerCasts() &&
            (call || (touch.size.isPrecise() && where.Size.isPrecise())) && touch.size.hasValue() &&
            where.Size.hasValue() && touch.size.getValue() >= where.Size.getValue();
      }
      // The end of an object's life reads nothing.
      if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(i);
          intrinsic && intrinsic->isLifetimeStartOrEnd())
        continue;
      if (e.ask_llvm) read |= llvm::isRefSet(memory.of(*i, where));
      if ((e.seen & outside) && !llvm::isa<llvm::ReturnInst>(i) && !is_private(object))
        read |= !i->isTerminator() || llvm::isa<llvm::CallBase>(i);
      if (read) return true;
      if (overwritten) break;
      if (i->isTerminator()) follow(*i);
    }
  }
  return false;
}

}  // namespace lapwing::compiler
