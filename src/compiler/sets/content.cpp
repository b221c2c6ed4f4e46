// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/content.hpp"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/effects/effects.hpp"
#include "compiler/llvm_versions.hpp"
#include "compiler/sets/collective_calls.hpp"
#include "compiler/sets/memory_use.hpp"

namespace lapwing::compiler {
namespace {

using llvm::CallBase;
using llvm::LocationSize;
using llvm::MemoryAccess;
using llvm::MemoryDef;
using llvm::MemoryLocation;
using llvm::Value;

constexpr int most_steps = 400, most_depth = 12;

// The memory state at the end of a block.
MemoryAccess* last_of(llvm::MemorySSA& memory, const llvm::DominatorTree& dominators,
                      const llvm::BasicBlock* block) {
  for (auto* node = dominators.getNode(block); node; node = node->getIDom()) {
    const auto* defs = memory.getBlockDefs(node->getBlock());
    if (defs && !defs->empty()) return const_cast<MemoryAccess*>(&*defs->rbegin());
  }
  return memory.getLiveOnEntryDef();
}

// An address that means the same in each round of a loop.
bool is_fixed(const Value* pointer, const llvm::DataLayout& layout) {
  llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  const Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  const auto* local = llvm::dyn_cast<llvm::AllocaInst>(base);
  return llvm::isa<llvm::Argument>(base) || llvm::isa<llvm::Constant>(base) ||
         (local && local->isStaticAlloca());
}

bool same_place(const Value* a, const Value* b) { return a->stripPointerCasts() == b->stripPointerCasts(); }

}  // namespace

llvm::AAResults& Content::aliases(Known& known) {
  return of_.model().analyses().getResult<llvm::AAManager>(*known.function);
}

bool Content::equal(const llvm::LoadInst& load) {
  Known& known = *of_.of(*load.getFunction());
  MemoryAccess* access = known.memory->getMemoryAccess(&load);
  if (!access) return false;
  asked_ = Asked::equal;
  seen_.clear();
  budget_ = most_steps;
  const At at{&known, MemoryLocation::get(&load), nullptr, 0};
  return before(at, llvm::cast<llvm::MemoryUse>(access)->getDefiningAccess(), load.getParent());
}

bool Content::before(const At& at, MemoryAccess* access, const llvm::BasicBlock* reader) {
  return holds(at, at.known->memory->getWalker()->getClobberingMemoryAccess(access, at.location), reader);
}

bool Content::holds(const At& at, MemoryAccess* access, const llvm::BasicBlock* reader) {
  if (--budget_ < 0 || at.depth > most_depth) return false;
  Known& known = *at.known;
  const Step step{{access, at.location.Ptr}, {at.frame ? at.frame->call : nullptr, at.location.Size.toRaw()}};
  if (!seen_.insert(step).second) return true;
  if (known.memory->isLiveOnEntryDef(access)) return holds_at_entry(at);
  const llvm::BasicBlock* block = access->getBlock();
  // Left in different rounds, a loop leaves different rounds' values.
  for (const llvm::Cycle* cycle = known.cycles->getCycle(block); cycle && !cycle->contains(reader);
       cycle = cycle->getParentCycle()) {
    llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
    for (llvm::BasicBlock* inside : cycle->blocks())
      for (llvm::BasicBlock* next : llvm::successors(inside))
        if (!cycle->contains(next)) exiting.push_back(inside);
    for (llvm::BasicBlock* inside : exiting)
      if (known.uniformity->hasDivergentTerminator(*inside)) return false;
  }
  if (auto* phi = llvm::dyn_cast<llvm::MemoryPhi>(access)) {
    if (known.joins.contains(block)) return false;
    At here = at;
    const llvm::DataLayout& layout = layout_of(*known.function);
    if (!is_fixed(at.location.Ptr, layout)) {
      const Value* object = llvm::getUnderlyingObject(at.location.Ptr);
      here.location = MemoryLocation::getBeforeOrAfter(object);
    }
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
      if (!before(here, phi->getIncomingValue(i), phi->getIncomingBlock(i))) return false;
    return true;
  }
  auto& def = llvm::cast<MemoryDef>(*access);
  const llvm::Instruction* writer = def.getMemoryInst();
  if (writer->isAtomic() || writer->isVolatile()) return false;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(writer)) return holds_after_store(at, def, *store);
  if (const auto* call = llvm::dyn_cast<CallBase>(writer)) return holds_after_call(at, def, *call);
  return false;
}

bool Content::holds_after_store(const At& at, MemoryDef& def, const llvm::StoreInst& store) {
  Known& known = *at.known;
  const MemoryLocation written = MemoryLocation::get(&store);
  const bool all = aliases(known).alias(written, at.location) == llvm::AliasResult::MustAlias &&
                   at.location.Size.isPrecise() && written.Size.isPrecise() &&
                   at.location.Size.getValue() <= written.Size.getValue();
  if (asked_ == Asked::world) return all && world_value(known, store.getValueOperand(), at.depth + 1);
  if (!known.equal(store.getOperandUse(0))) return false;
  // It writes there, or elsewhere: on all processes the same.
  return all ||
         (known.equal(store.getOperandUse(1)) && before(at, def.getDefiningAccess(), store.getParent()));
}

bool Content::holds_after_copy(const At& at, MemoryDef& def, const CallBase& call) {
  Known& known = *at.known;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
      intrinsic && intrinsic->isLifetimeStartOrEnd())
    return asked_ == Asked::equal;
  const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&call);
  if (!memory || memory->isVolatile()) return false;
  const MemoryLocation written = MemoryLocation::getForDest(memory);
  const bool all = aliases(known).alias(written, at.location) == llvm::AliasResult::MustAlias &&
                   at.location.Size.hasValue() && written.Size.isPrecise() &&
                   at.location.Size.getValue() <= written.Size.getValue();
  if (const auto* set = llvm::dyn_cast<llvm::MemSetInst>(memory)) {
    if (asked_ == Asked::world || !known.equal(set->getArgOperandUse(1))) return false;
  } else {
    const auto* transfer = llvm::cast<llvm::MemTransferInst>(memory);
    At from = at;
    from.location = MemoryLocation::getForSource(transfer);
    ++from.depth;
    if (!known.equal(transfer->getArgOperandUse(1)) ||
        !before(from, def.getDefiningAccess(), call.getParent()))
      return false;
  }
  if (all) return true;
  return asked_ == Asked::equal && known.equal(call.getArgOperandUse(0)) &&
         known.equal(call.getArgOperandUse(2)) && before(at, def.getDefiningAccess(), call.getParent());
}

bool Content::holds_after_call(const At& at, MemoryDef& def, const CallBase& call) {
  Known& known = *at.known;
  if (llvm::isa<llvm::IntrinsicInst>(call)) return holds_after_copy(at, def, call);
  const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
  if (callee && !callee->isDeclaration() && !callee->isInterposable()) return holds_after_own(at, def, call);
  ::lapwing::compiler::MemoryUse use;
  if (!memory_use(call, &use)) return false;
  for (const Output& output : use.outputs) {
    const Value* written = call.getArgOperand(static_cast<unsigned>(output.argument));
    if (!written->getType()->isPointerTy()) continue;
    if (aliases(known).isNoAlias(MemoryLocation::getBeforeOrAfter(written), at.location)) continue;
    const Value* comm = use.comm >= 0 ? call.getArgOperand(static_cast<unsigned>(use.comm)) : nullptr;
    const bool here = same_place(written, at.location.Ptr);
    if (asked_ == Asked::world)
      return output.writes == Writes::duplicate && here && Content(of_).is_world(call, comm, use.interface);
    std::uint64_t bytes = 0;
    switch (output.writes) {
      case Writes::differs:
      case Writes::own_rank:
      case Writes::duplicate:
        return false;
      case Writes::equal:
        if (of_.errors_differ() && output.argument == static_cast<int>(call.arg_size()) - 1) return false;
        bytes = 4;
        break;
      case Writes::equal_on_comm:
      case Writes::size_of_comm:
        if (!Content(of_).is_world(call, comm, use.interface)) return false;
        bytes = output.writes == Writes::size_of_comm ? 4 : 0;
        break;
      case Writes::from_inputs:
        for (const llvm::Use& argument : call.args())
          if (!argument->getType()->isPointerTy() && !known.equal(argument)) return false;
        // By reference, the inputs would have to be followed as well.
        if (use.interface == Interface::fortran) return false;
        break;
    }
    if (output.count >= 0) {
      const auto mpi = MpiCall::of(call);
      const auto each = mpi ? basic_size(*mpi, output.type) : std::nullopt;
      const Value* count = call.getArgOperand(static_cast<unsigned>(output.count));
      std::optional<std::int64_t> elements = constant_at(count);
      if (!elements && mpi) elements = constant_argument(*mpi, output.count);
      if (each && elements && *elements > 0) bytes = *each * static_cast<std::uint64_t>(*elements);
    }
    llvm::APInt offset(64, 0), start(64, 0);
    const llvm::DataLayout& layout = layout_of(*known.function);
    const Value* base = at.location.Ptr->stripAndAccumulateConstantOffsets(layout, offset, true);
    const Value* from = written->stripAndAccumulateConstantOffsets(layout, start, true);
    const std::int64_t skipped = offset.getSExtValue() - start.getSExtValue();
    const std::optional<std::uint64_t> size = fixed_size(at.location.Size);
    if (base == from && skipped >= 0 && size && static_cast<std::uint64_t>(skipped) + *size <= bytes)
      return true;
    if (!known.equal(call.getArgOperandUse(static_cast<unsigned>(output.argument)))) return false;
  }
  return asked_ == Asked::equal && before(at, def.getDefiningAccess(), call.getParent());
}

// Into a function of this module, and out of it at its beginning.
bool Content::holds_after_own(const At& at, MemoryDef& def, const CallBase& call) {
  const auto& callee = *llvm::cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
  Known* called = of_.of(callee);
  if (!called || callee.getFunctionType() != call.getFunctionType()) return false;
  const Value* object = llvm::getUnderlyingObject(at.location.Ptr);
  MemoryLocation inside = at.location;
  if (!llvm::isa<llvm::GlobalVariable>(object)) {
    inside = MemoryLocation();
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      const Value* given = call.getArgOperand(i);
      if (!given->getType()->isPointerTy() || llvm::getUnderlyingObject(given) != object) continue;
      inside = same_place(given, at.location.Ptr) ? MemoryLocation(callee.getArg(i), at.location.Size)
                                                  : MemoryLocation::getBeforeOrAfter(callee.getArg(i));
      break;
    }
    if (!inside.Ptr) return false;
  }
  inside.AATags = llvm::AAMDNodes();
  const Frame frame{at.known, &call, at.location, at.frame};
  const At end{called, inside, &frame, at.depth + 1};
  bool any = false;
  for (const llvm::BasicBlock& block : callee) {
    if (!llvm::isa<llvm::ReturnInst>(block.getTerminator()) ||
        !called->dominators->isReachableFromEntry(&block))
      continue;
    if (any) return false;  // which return is taken may differ
    any = true;
    if (!before(end, last_of(*called->memory, *called->dominators, &block), &block)) return false;
  }
  return true;
}

bool Content::holds_at_entry(const At& at) {
  Known& known = *at.known;
  const Value* object = llvm::getUnderlyingObject(at.location.Ptr);
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object);
  if (asked_ == Asked::equal) {
    if (global && global->isConstant() && global->hasInitializer()) return true;
    // Memory that was never written holds nothing that counts.
    if (llvm::isa<llvm::AllocaInst>(object) || llvm::isNoAliasCall(object)) return true;
  }
  const auto* argument = llvm::dyn_cast<llvm::Argument>(object);
  if (!global && !argument) return false;
  if (at.frame) {
    const Frame& frame = *at.frame;
    const At outside{frame.caller, frame.location, frame.above, at.depth + 1};
    const auto* def = llvm::cast<MemoryDef>(frame.caller->memory->getMemoryAccess(frame.call));
    return before(outside, def->getDefiningAccess(), frame.call->getParent());
  }
  if (known.is_main) {
    // No code has written yet; flang's main program is called by main alone.
    return asked_ == Asked::equal && global && global->hasInitializer() && !global->isThreadLocal();
  }
  if (!known.all_callers || known.callers.empty()) return false;
  for (const CallBase* call : known.callers) {
    Known* caller = of_.of(*call->getFunction());
    if (!caller) return false;
    if (!caller->dominators->isReachableFromEntry(call->getParent())) continue;
    MemoryLocation outside = at.location;
    if (argument) {
      const Value* given = call->getArgOperand(argument->getArgNo());
      outside = same_place(argument, at.location.Ptr) ? MemoryLocation(given, at.location.Size)
                                                      : MemoryLocation::getBeforeOrAfter(given);
    }
    outside.AATags = llvm::AAMDNodes();
    auto* access = caller->memory->getMemoryAccess(call);
    if (!access) return false;
    auto* state = llvm::cast<llvm::MemoryUseOrDef>(access)->getDefiningAccess();
    if (!before({caller, outside, nullptr, at.depth + 1}, state, call->getParent())) return false;
  }
  return true;
}

bool Content::world_value(Known& known, const Value* value, int depth) {
  if (depth > most_depth) return false;
  if (known_comm(value, Interface::c) == KnownComm::world) return true;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(value)) {
    MemoryAccess* access = known.memory->getMemoryAccess(load);
    if (!access || !load->isUnordered()) return false;
    return before({&known, MemoryLocation::get(load), nullptr, depth + 1},
                  llvm::cast<llvm::MemoryUse>(access)->getDefiningAccess(), load->getParent());
  }
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
    if (!known.all_callers || known.callers.empty()) return false;
    for (const CallBase* call : known.callers) {
      Known* caller = of_.of(*call->getFunction());
      if (!caller || !world_value(*caller, call->getArgOperand(argument->getArgNo()), depth + 1))
        return false;
    }
    return true;
  }
  return false;
}

bool Content::is_world(const CallBase& call, const Value* comm, Interface interface) {
  if (!comm) return false;
  if (known_comm(comm, interface) == KnownComm::world) return true;
  asked_ = Asked::world;
  seen_.clear();
  budget_ = most_steps;
  Known& known = *of_.of(*call.getFunction());
  if (interface == Interface::c) return world_value(known, comm, 0);
  auto* access = known.memory->getMemoryAccess(&call);
  if (!access) return false;
  return before({&known, MemoryLocation(comm, LocationSize::precise(4)), nullptr, 0},
                llvm::cast<llvm::MemoryUseOrDef>(access)->getDefiningAccess(), call.getParent());
}

}  // namespace lapwing::compiler
