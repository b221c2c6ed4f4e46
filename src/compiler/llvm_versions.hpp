// SPDX-License-Identifier: Apache-2.0
// How the versions of LLVM differ for which the pass is built: 16 and 19. Nothing else in this room asks for
// the version. A version between or after them is tried by adding it to cmake/LapwingLlvm.cmake.
#pragma once

#include <llvm/ADT/GenericUniformityImpl.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ModRef.h>

#include <cstdint>
#include <memory>
#include <optional>

namespace lapwing::compiler {

inline const llvm::DataLayout& layout_of(const llvm::Function& function) {
  return function.getParent()->getDataLayout();
}

/// The bytes of an access; nothing where they are not known, or a multiple of the length of a vector.
inline std::optional<std::uint64_t> fixed_size(llvm::LocationSize size) {
  if (!size.hasValue()) return std::nullopt;
#if LLVM_VERSION_MAJOR >= 18
  if (size.isScalable()) return std::nullopt;
  return size.getValue().getFixedValue();
#else
  return size.getValue();
#endif
}

/// A vector whose length is the machine's.
inline bool has_scalable_length(const llvm::Type& type) {
#if LLVM_VERSION_MAJOR >= 17
  return type.isScalableTy();
#else
  return llvm::isa<llvm::ScalableVectorType>(type);
#endif
}

/// Takes from an instruction what is promised of it only where the program has executed it.
inline void forget_promises(llvm::Instruction& instruction) {
#if LLVM_VERSION_MAJOR >= 17
  instruction.dropUBImplyingAttrsAndUnknownMetadata();
#else
  instruction.dropUndefImplyingAttrsAndUnknownMetadata();
#endif
}

/// How a call uses the memory that its arguments point to.
inline llvm::ModRefInfo argument_effects(const llvm::CallBase& call) {
#if LLVM_VERSION_MAJOR >= 17
  return call.getMemoryEffects().getModRef(llvm::IRMemLocation::ArgMem);
#else
  return call.getMemoryEffects().getModRef(llvm::MemoryEffects::ArgMem);
#endif
}

/// Visits each record that describes the value as a variable of the source; a record has getVariable() and
/// getDebugLoc().
template <class Visit>
void for_debug_records(const llvm::Value& value, Visit visit) {
  llvm::SmallVector<llvm::DbgVariableIntrinsic*, 4> intrinsics;
#if LLVM_VERSION_MAJOR >= 19
  llvm::SmallVector<llvm::DbgVariableRecord*, 4> records;
  llvm::findDbgUsers(intrinsics, const_cast<llvm::Value*>(&value), &records);
  for (const llvm::DbgVariableRecord* record : records) visit(*record);
#else
  llvm::findDbgUsers(intrinsics, const_cast<llvm::Value*>(&value));
#endif
  for (const llvm::DbgVariableIntrinsic* record : intrinsics) visit(*record);
}

/// LLVM's uniformity analysis of the function, finished.
inline std::unique_ptr<llvm::UniformityInfo> uniformity_of(llvm::Function& function,
                                                           const llvm::DominatorTree& dominators,
                                                           const llvm::CycleInfo& cycles,
                                                           const llvm::TargetTransformInfo& seeds) {
#if LLVM_VERSION_MAJOR >= 17
  auto made = std::make_unique<llvm::UniformityInfo>(dominators, cycles, &seeds);
  made->compute();
  return made;
#else
  return std::make_unique<llvm::UniformityInfo>(function, dominators, cycles, &seeds);
#endif
}

/// Whether a value differs where it is used: also behind a loop that processes leave in different rounds.
inline bool differs_at(const llvm::Use& use, llvm::UniformityInfo& uniformity,
                       const llvm::CycleInfo& cycles) {
#if LLVM_VERSION_MAJOR >= 17
  return uniformity.isDivergentUse(use);
#else
  if (uniformity.isDivergent(use.get())) return true;
  const auto* defined = llvm::dyn_cast<llvm::Instruction>(use.get());
  const auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
  if (!defined || !user) return false;
  for (const llvm::Cycle* cycle = cycles.getCycle(defined->getParent());
       cycle && !cycle->contains(user->getParent()); cycle = cycle->getParentCycle()) {
    for (const llvm::BasicBlock* block : cycle->blocks())
      for (const llvm::BasicBlock* next : llvm::successors(block))
        if (!cycle->contains(next) && uniformity.hasDivergentTerminator(*block)) return true;
  }
  return false;
#endif
}

inline llvm::SSAContext context_of(llvm::Function& function) {
#if LLVM_VERSION_MAJOR >= 17
  return llvm::SSAContext(&function);
#else
  llvm::SSAContext context;
  context.setFunction(function);
  return context;
#endif
}

}  // namespace lapwing::compiler
