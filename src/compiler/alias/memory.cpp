// SPDX-License-Identifier: Apache-2.0
#include "compiler/alias/memory.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>

#include <utility>

#include "compiler/alias/allocations.hpp"
#include "compiler/alias/fortran_tags.hpp"
#include "compiler/effects/library_calls.hpp"
#include "compiler/llvm_versions.hpp"
#include "compiler/planted.hpp"

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

// A number that is made of an address, and leads back to none.
static bool is_only_compared(const llvm::User& number) {
  return llvm::all_of(number.users(), [](const llvm::User* user) {
    const auto* made = llvm::dyn_cast<llvm::BinaryOperator>(user);
    const bool is_distance =
        made && (made->getOpcode() == llvm::Instruction::Add || made->getOpcode() == llvm::Instruction::Sub);
    return llvm::isa<llvm::ICmpInst>(user) ||
           ((is_distance || llvm::isa<llvm::FreezeInst, llvm::SelectInst>(user)) && is_only_compared(*user));
  });
}

bool stays_with_calls(const llvm::Value* object, CallKeepsQuiet quiet) {
  llvm::SmallVector<const llvm::Value*, 8> work{object};
  llvm::SmallPtrSet<const llvm::Value*, 16> seen{object};
  while (!work.empty()) {
    const llvm::Value* value = work.pop_back_val();
    for (const llvm::Use& use : value->uses()) {
      const llvm::User* user = use.getUser();
      if (llvm::isa<llvm::LoadInst>(user) || llvm::isa<llvm::ICmpInst>(user)) continue;
      if (llvm::isa<llvm::PtrToIntInst>(user) && is_only_compared(*user)) continue;
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        if (store->getValueOperand() == value) return false;
        continue;
      }
      if (llvm::isa<llvm::GEPOperator>(user) || llvm::isa<llvm::PHINode>(user) ||
          llvm::isa<llvm::SelectInst>(user) || llvm::isa<llvm::BitCastInst>(user) ||
          llvm::isa<llvm::FreezeInst>(user)) {
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

}  // namespace lapwing::compiler
