// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/dependence_web.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

#include <utility>

#include "compiler/alias/allocations.hpp"
#include "compiler/alias/fortran_tags.hpp"
#include "compiler/effects/library_calls.hpp"
#include "compiler/interior/marks.hpp"
#include "compiler/llvm_versions.hpp"
#include "compiler/names.hpp"
#include "compiler/planted.hpp"
#include "compiler/waits/versioned_calls.hpp"

namespace lapwing::compiler {

using llvm::ModRefInfo;

namespace {

bool is_quiet_intrinsic(const llvm::CallBase& call) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  return intrinsic && (llvm::isa<llvm::MemIntrinsic>(call) || intrinsic->isLifetimeStartOrEnd() ||
                       llvm::isa<llvm::DbgInfoIntrinsic>(call));
}

// flang's variable for a constant that is handed on: no pointer to it outlives the call (Fortran
// 2018, 15.5.2.4), and the variable always holds the same.
bool is_constant_argument(const llvm::Value* object) {
  const auto* local = llvm::dyn_cast<llvm::AllocaInst>(object);
  if (!local || !is_fortran(*local->getFunction()) || !local->getAllocatedType()->isSingleValueType())
    return false;
  const llvm::Value* constant = nullptr;
  const bool holds_one = llvm::all_of(local->users(), [&](const llvm::User* user) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (!store) return true;
    const llvm::Value* value = std::exchange(constant, store->getValueOperand());
    return llvm::isa<llvm::ConstantData>(constant) && (!value || value == constant);
  });
  return constant && holds_one &&
         stays_with_calls(local, [](const llvm::CallBase&, unsigned) { return true; });
}

}  // namespace

// LLVM's analysis gives up on pointers that are exchanged from round to round.
// All possible values come from these objects, and different objects are
// disjoint in all rounds.
bool Memory::are_other_objects(const llvm::Value* a, const llvm::Value* b) {
  llvm::SmallVector<const llvm::Value*, 4> of_a, of_b;
  llvm::getUnderlyingObjects(a, of_a);
  llvm::getUnderlyingObjects(b, of_b);
  const auto is_nothing = [](const llvm::Value* v) {
    return llvm::isa<llvm::ConstantPointerNull>(v) || llvm::isa<llvm::UndefValue>(v);
  };
  const auto comes_from_elsewhere = [](const llvm::Value* v) {
    return llvm::isa<llvm::LoadInst>(v) || llvm::isa<llvm::Argument>(v) || llvm::isa<llvm::CallBase>(v);
  };
  const auto disjoint = [&](const llvm::Value* x, const llvm::Value* y) {
    if (is_nothing(x) || is_nothing(y)) return true;
    if (x == y) return false;
    if (llvm::isIdentifiedObject(x) && llvm::isIdentifiedObject(y)) return true;
    if ((comes_from_elsewhere(x) && is_hidden(y)) || (comes_from_elsewhere(y) && is_hidden(x))) return true;
    if (knows_owners_ && !has_forgotten(x) && !has_forgotten(y) && have_other_owners(x, y)) return true;
    return (llvm::isa<llvm::Argument>(x) && llvm::isIdentifiedFunctionLocal(y)) ||
           (llvm::isa<llvm::Argument>(y) && llvm::isIdentifiedFunctionLocal(x));
  };
  for (const llvm::Value* x : of_a)
    for (const llvm::Value* y : of_b)
      if (!disjoint(x, y)) return false;
  return true;
}

// MPI's calls keep addresses to themselves, so memory of which nobody else was told is what no pointer from
// elsewhere leads to: requests and buffers that LLVM takes for known to all, since MPI got their address.
bool Memory::is_hidden(const llvm::Value* object) {
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object);
  if (!llvm::isa<llvm::AllocaInst>(object) && !llvm::isNoAliasCall(object) &&
      !(global && global->hasLocalLinkage()))
    return false;
  const auto [known, is_new] = hidden_.try_emplace(object, false);
  if (!is_new) return known->second;
  const bool hidden =
      is_constant_argument(object) || stays_with_calls(object, [](const llvm::CallBase& call, unsigned) {
        if (is_quiet_intrinsic(call) || gives_back(call)) return true;
        const auto mpi = MpiCall::of(call);
        return mpi && mpi->kind() != Kind::outside;
      });
  return hidden_[object] = hidden;
}

// LLVM 19 compares two phis of one block edge by edge, also where the one is of this
// round and the other of the next (llvm/llvm-project#116802, in 20): pointers that are
// exchanged would never meet. Of such, their objects decide.
bool Memory::may_be_exchanged(const llvm::MemoryLocation& a, const llvm::MemoryLocation& b) {
  const auto is_chosen = [](const llvm::Value* pointer) {
    const llvm::Value* object = llvm::getUnderlyingObject(pointer, 0);
    return llvm::isa<llvm::PHINode>(object) || llvm::isa<llvm::SelectInst>(object);
  };
  if (!is_chosen(a.Ptr) || !is_chosen(b.Ptr) || has(Planted::exchanged)) return false;
  llvm::SmallVector<const llvm::Value*, 4> of_a, of_b;
  llvm::getUnderlyingObjects(a.Ptr, of_a, nullptr, 0);
  llvm::getUnderlyingObjects(b.Ptr, of_b, nullptr, 0);
  for (const llvm::Value* x : of_a) {
    for (const llvm::Value* y : of_b) {
      if (x == y || aliases_.alias(llvm::MemoryLocation::getBeforeOrAfter(x),
                                   llvm::MemoryLocation::getBeforeOrAfter(y)) != llvm::AliasResult::NoAlias)
        return true;
    }
  }
  return false;
}

bool Memory::may_alias(const llvm::MemoryLocation& a, const llvm::MemoryLocation& b) {
  if (are_other_objects(a.Ptr, b.Ptr)) return false;
  if (has(Planted::aliases)) return aliases_.isMustAlias(a, b);
  return aliases_.alias(a, b) != llvm::AliasResult::NoAlias || may_be_exchanged(a, b);
}

ModRefInfo Memory::of(const llvm::Instruction& instruction, const llvm::MemoryLocation& where) {
  ModRefInfo info = aliases_.getModRefInfo(&instruction, where);
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || llvm::isModAndRefSet(info)) return info;
  for (const llvm::Use& argument : call->args()) {
    if (argument->getType()->isPointerTy() &&
        may_be_exchanged(llvm::MemoryLocation::getBeforeOrAfter(argument.get()), where))
      info |= argument_effects(*call);
  }
  return info;
}

bool Memory::is_apart_from(const llvm::GlobalVariable& owner, const llvm::Value* pointer) const {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects);
  return knows_owners_ && llvm::all_of(objects, [&](const llvm::Value* object) {
           return !has_forgotten(object) && is_owned_by_other(object, owner);
         });
}

ModRefInfo Memory::meet(const Touch& touch, const llvm::MemoryLocation& where) {
  ModRefInfo info = ModRefInfo::NoModRef;
  if (touch.reads) info |= ModRefInfo::Ref;
  if (touch.writes) info |= ModRefInfo::Mod;
  if (touch.pointer) {
    const llvm::Value* touched = llvm::getUnderlyingObject(touch.pointer);
    const llvm::Value* object = llvm::getUnderlyingObject(where.Ptr);
    if (is_dummy_type(touch.type) && llvm::isa<llvm::Argument>(touched) &&
        llvm::isa<llvm::Argument>(object) && touched != object)
      return ModRefInfo::NoModRef;
    llvm::AAMDNodes tags;
    tags.TBAA = touch.type;
    if (!may_alias(llvm::MemoryLocation(touch.pointer, touch.size, tags), where)) return ModRefInfo::NoModRef;
  } else if (is_private(llvm::getUnderlyingObject(where.Ptr)) ||
             (touch.owner && is_apart_from(*touch.owner, where.Ptr))) {
    return ModRefInfo::NoModRef;
  }
  return info;
}

ModRefInfo Memory::meet(const llvm::Instruction& instruction, const Effects& effects,
                        const llvm::MemoryLocation& where) {
  ModRefInfo info = ModRefInfo::NoModRef;
  for (const Touch& touch : effects.touches) info |= meet(touch, where);
  if (effects.ask_llvm) info |= of(instruction, where);
  if ((effects.seen & outside) && !is_private(llvm::getUnderlyingObject(where.Ptr)))
    info |= ModRefInfo::ModRef;
  return info;
}

bool stays_with_calls(const llvm::Value* object, CallKeepsQuiet quiet) {
  llvm::SmallVector<const llvm::Value*, 8> work{object};
  llvm::SmallPtrSet<const llvm::Value*, 16> seen{object};
  while (!work.empty()) {
    const llvm::Value* value = work.pop_back_val();
    for (const llvm::Use& use : value->uses()) {
      const llvm::User* user = use.getUser();
      if (llvm::isa<llvm::LoadInst>(user) || llvm::isa<llvm::ICmpInst>(user)) continue;
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        if (store->getValueOperand() == value) return false;
        continue;
      }
      if (llvm::isa<llvm::GEPOperator>(user) || llvm::isa<llvm::PHINode>(user) ||
          llvm::isa<llvm::SelectInst>(user) || llvm::isa<llvm::BitCastInst>(user)) {
        if (seen.insert(user).second) work.push_back(user);
        if (seen.size() > 200) return false;
        continue;
      }
      const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (!call || !call->isArgOperand(&use) || !quiet(*call, call->getArgOperandNo(&use))) return false;
    }
  }
  return true;
}

bool is_private(const llvm::Value* object) {
  if (!llvm::isa<llvm::AllocaInst>(object) && !llvm::isNoAliasCall(object)) return false;
  return stays_with_calls(object, [](const llvm::CallBase& call, unsigned argument) {
    if (is_quiet_intrinsic(call) || gives_back(call)) return true;
    const auto mpi = MpiCall::of(call);
    if (!mpi || mpi->kind() == Kind::outside || mpi->kind() == Kind::collective) return false;
    // A buffer that stays with MPI: nobody else gets it either, but its own
    // completion may write it, anywhere.
    return !(mpi->routine().request >= 0 && mpi->routine().buffer == static_cast<int>(argument));
  });
}

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
                 llvm::function_ref<bool(const llvm::Instruction&)> holds) {
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

bool reaches_others(const llvm::Instruction& instruction, const Effects& effects, bool reads) {
  const auto is_ours = [](const llvm::Value* pointer) {
    const llvm::Value* object = llvm::getUnderlyingObject(pointer);
    const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object);
    return (global && global->isConstant()) || is_private(object);
  };
  const bool touches = llvm::any_of(effects.touches, [&](const Touch& touch) {
    return (touch.writes || reads) && !(touch.pointer && is_ours(touch.pointer));
  });
  return touches || (effects.ask_llvm && (instruction.mayWriteToMemory() || reads));
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
