// SPDX-License-Identifier: Apache-2.0
#include "compiler/declared/memory_touch.hpp"

#include <llvm/Analysis/ValueTracking.h>

#include "compiler/declared/declarations.hpp"
#include "compiler/llvm_versions.hpp"
#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {
namespace {

using llvm::ModRefInfo;

// As is_private(), but declarations may know the memory, and it may be on the
// heap: other code than this function's never gets at it, unless as an argument
// that it does not keep.
bool stays_here(const llvm::Value* object) {
  if (!llvm::isa<llvm::AllocaInst>(object) && !llvm::isNoAliasCall(object)) return false;
  return stays_with_calls(object, [](const llvm::CallBase& call, unsigned argument) {
    if (declared_call(call) != DeclaredCall::none || call.doesNotCapture(argument)) return true;
    const auto mpi = MpiCall::of(call);
    // A request lets MPI write it later.
    return mpi && mpi->kind() != Kind::outside && mpi->routine().any_request() < 0;
  });
}

}  // namespace

// By its own size, or as the whole of a variable.
std::optional<Extent> DeclaredTouch::extent_of(const llvm::Value* pointer, llvm::LocationSize size) const {
  if (const auto bytes = fixed_size(size)) return Extent{pointer, *bytes};
  const llvm::Value* object = llvm::getUnderlyingObject(pointer);
  const auto* local = llvm::dyn_cast<llvm::AllocaInst>(object);
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object);
  if (local && local->isStaticAlloca()) {
    if (const auto bytes = local->getAllocationSize(layout_)) return Extent{object, bytes->getFixedValue()};
  }
  if (global && global->hasExactDefinition() && !global->isThreadLocal())
    return Extent{object, layout_.getTypeAllocSize(global->getValueType()).getFixedValue()};
  return {};
}

std::vector<Meet> DeclaredTouch::operator()(const llvm::Instruction& instruction, const llvm::Value* buffer) {
  if (llvm::isa<llvm::ReturnInst>(instruction) || llvm::isa<llvm::UnreachableInst>(instruction)) return {};
  const auto where = llvm::MemoryLocation::getBeforeOrAfter(buffer);
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (const auto location = llvm::MemoryLocation::getOrNone(&instruction); location && !call) {
    if (!memory_.may_alias(*location, where)) return {};
    ModRefInfo info = ModRefInfo::NoModRef;
    if (instruction.mayReadFromMemory()) info |= ModRefInfo::Ref;
    if (instruction.mayWriteToMemory()) info |= ModRefInfo::Mod;
    return {{info, extent_of(location->Ptr, location->Size)}};
  }
  if (call && declared_call(*call) != DeclaredCall::none) return {};
  const Meet anything{ModRefInfo::ModRef, {}};
  if (call && may_leave(instruction)) return {anything};
  const llvm::Value* object = llvm::getUnderlyingObject(buffer);
  const Effects effects = effects_(instruction);
  const bool here = stays_here(object);
  const auto* local = llvm::dyn_cast<llvm::AllocaInst>(object);
  if (effects.ends_stack && (!local || !local->isStaticAlloca())) return {anything};
  const bool known = (effects.seen & outside) == 0 || effects.touches_are_all;
  if (!known && !here && instruction.mayReadOrWriteMemory()) return {anything};
  std::vector<Meet> found;
  const auto add = [&](ModRefInfo info, std::optional<Extent> extent) {
    if (llvm::isModOrRefSet(info)) found.push_back({info, extent});
  };
  if (effects.ask_llvm) add(memory_.of(instruction, where), {});
  for (const Touch& touch : effects.touches) {
    if (touch.pointer) {
      add(memory_.meet(touch, where), extent_of(touch.pointer, touch.size));
    } else if (!here) {
      add(memory_.meet(touch, where), {});
    }
  }
  if (known) return found;
  for (const llvm::Use& operand : instruction.operands())
    if (operand->getType()->isPointerTy() &&
        memory_.may_alias(llvm::MemoryLocation::getBeforeOrAfter(operand), where))
      return {anything};
  return found;
}

bool DeclaredTouch::may_leave(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (!call) return false;
  if (call->isMustTailCall()) return true;
  if (call->doesNotThrow() || call->getFunction()->doesNotThrow()) return false;
  const Effects effects = effects_(instruction);
  return (effects.seen & outside) && !effects.touches_are_all;
}

bool DeclaredTouch::only_computes(const llvm::Instruction& instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
    if (declared_call(*call) != DeclaredCall::none || may_leave(instruction)) return false;
  }
  const Effects effects = effects_(instruction);
  return effects.seen == 0 && !effects.ends_stack;
}

}  // namespace lapwing::compiler
