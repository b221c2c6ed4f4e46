// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/settled.hpp"

#include <llvm/IR/IntrinsicInst.h>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/alias/loaded_value.hpp"
#include "compiler/effects/library_calls.hpp"

namespace lapwing::compiler {

using llvm::Instruction;

bool gives_back(const Instruction& i) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
  return call && gives_back(*call);
}

bool ends_life(const Instruction& i) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  return intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::lifetime_end;
}

bool is_settled(const llvm::LoadInst& load, const WayToLoop& way) {
  if (!load.isSimple()) return false;
  const auto where = llvm::MemoryLocation::get(&load);
  const auto writes = [&](const Instruction& i) {
    return !gives_back(i) && !ends_life(i) && may_change(i, load, way.memory, way.effects);
  };
  const auto writes_none = [&](const llvm::BasicBlock* block) { return llvm::none_of(*block, writes); };
  return llvm::all_of(way.blocks, writes_none) && llvm::all_of(way.loop.blocks(), writes_none) &&
         llvm::none_of(way.received, [&](const InFlight& buffer) {
           return !(buffer.floating && is_no_floating_access(load, buffer.where.Ptr)) &&
                  way.memory.may_alias(where, buffer.where);
         });
}

}  // namespace lapwing::compiler
