// SPDX-License-Identifier: Apache-2.0
#include "compiler/alias/allocations.hpp"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include "compiler/alias/fortran_tags.hpp"

namespace lapwing::compiler {
namespace {

using llvm::GlobalVariable;

// flang's descriptor: base address, element length, version, rank, type,
// attribute, ...; 2 is an allocatable.
bool is_descriptor_of_allocatable(const GlobalVariable& global) {
  if (!global.getName().starts_with("_Q") || !global.hasInitializer()) return false;
  const auto* type = llvm::dyn_cast<llvm::StructType>(global.getValueType());
  if (!type || type->getNumElements() < 7 || !type->getElementType(0)->isPointerTy()) return false;
  const llvm::Constant* initial = global.getInitializer()->getAggregateElement(5);
  const auto* attribute = llvm::dyn_cast_or_null<llvm::ConstantInt>(initial);
  return attribute && attribute->getType()->isIntegerTy(8) && attribute->equalsInt(2);
}

// A descriptor of a function's own, made for an argument: no allocatable.
bool describes_argument(const llvm::StoreInst& store) {
  return is_fortran(*store.getFunction()) && llvm::isa<llvm::AllocaInst>(store.getPointerOperand());
}

// The base address of a descriptor that was taken apart: only fresh memory is
// ever stored there, and in no other allocatable.
bool owns_what_it_holds(const GlobalVariable& global) {
  if (!global.hasLocalLinkage() || !global.getValueType()->isPointerTy() || !global.hasInitializer() ||
      !global.getInitializer()->isNullValue())
    return false;
  for (const llvm::User* user : global.users()) {
    if (llvm::isa<llvm::LoadInst>(user)) continue;
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (!store || store->getPointerOperand() != &global) return false;
    const llvm::Value* value = store->getValueOperand();
    if (llvm::isa<llvm::ConstantPointerNull>(value)) continue;
    if (!llvm::isNoAliasCall(value)) return false;
    for (const llvm::User* other : value->users()) {
      const auto* again = llvm::dyn_cast<llvm::StoreInst>(other);
      if (again && again != store && again->getValueOperand() == value && !describes_argument(*again))
        return false;
    }
  }
  return true;
}

// Fresh memory that is stored in one allocatable, and in no other.
const GlobalVariable* stored_in(const llvm::Value& allocation) {
  const GlobalVariable* owner = nullptr;
  for (const llvm::User* user : allocation.users()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (!store || store->getValueOperand() != &allocation || describes_argument(*store)) continue;
    const auto* global = llvm::dyn_cast<GlobalVariable>(store->getPointerOperand());
    if (!global || (owner && owner != global)) return nullptr;
    owner = global;
  }
  return owner && (is_descriptor_of_allocatable(*owner) || owns_what_it_holds(*owner)) ? owner : nullptr;
}

// The variable of a function that posix_memalign alone fills: fresh memory each time.
const llvm::Value* filled_with_fresh(const llvm::Value* object) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(object);
  const auto* local = load ? llvm::dyn_cast<llvm::AllocaInst>(load->getPointerOperand()) : nullptr;
  if (!local || !load->getType()->isPointerTy()) return nullptr;
  for (const llvm::Use& use : local->uses()) {
    const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    const bool fills = callee && callee->isDeclaration() && callee->getName() == "posix_memalign" &&
                       call->isArgOperand(&use) && call->getArgOperandNo(&use) == 0;
    const bool empties = store && llvm::isa<llvm::ConstantPointerNull>(store->getValueOperand());
    if (!fills && !empties && !llvm::isa<llvm::LoadInst>(user) && !user->isLifetimeStartOrEnd())
      return nullptr;
  }
  return local;
}

}  // namespace

const GlobalVariable* owner_of(const llvm::Value* object) {
  if (llvm::isNoAliasCall(object)) return stored_in(*object);
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(object);
  const auto* global = load ? llvm::dyn_cast<GlobalVariable>(load->getPointerOperand()) : nullptr;
  if (!global || !load->getType()->isPointerTy()) return nullptr;
  return is_descriptor_of_allocatable(*global) || owns_what_it_holds(*global) ? global : nullptr;
}

bool may_hand_on(const GlobalVariable& owner) { return is_descriptor_of_allocatable(owner); }

static const llvm::Value* owner_or_variable(const llvm::Value* object) {
  const GlobalVariable* owner = owner_of(object);
  return owner ? owner : filled_with_fresh(object);
}

// A variable's own memory is no allocation.
static bool is_variable(const llvm::Value* object) {
  return llvm::isa<llvm::AllocaInst>(object) || llvm::isa<GlobalVariable>(object);
}

bool is_owned_by_other(const llvm::Value* object, const llvm::Value& owner) {
  const llvm::Value* other = owner_or_variable(object);
  return other ? other != &owner : is_variable(object);
}

bool have_other_owners(const llvm::Value* a, const llvm::Value* b) {
  if (const llvm::Value* owner = owner_or_variable(a)) return is_owned_by_other(b, *owner);
  const llvm::Value* owner = owner_or_variable(b);
  return owner && is_variable(a);
}

}  // namespace lapwing::compiler
