// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/communicator_hints.hpp"

#include <llvm/Analysis/MemorySSA.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/llvm_versions.hpp"

namespace lapwing::compiler {
namespace {

using llvm::MemoryAccess;
using llvm::Value;

// The value that an absent optional argument stands for.
llvm::Constant* null_of(const CommHint& hint, bool mpich) {
  if (hint.fortran) return llvm::ConstantInt::get(hint.type, mpich ? 0x04000000 : 2);
  return llvm::Constant::getNullValue(hint.type);
}

// flang names no constant of MPI's: MPICH's handles begin with their kind.
bool is_for_mpich(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& i : llvm::instructions(function)) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
      const auto* number = store ? llvm::dyn_cast<llvm::ConstantInt>(store->getValueOperand()) : nullptr;
      if (number && number->getBitWidth() == 32 &&
          (number->getZExtValue() >> 24 == 0x44 || number->getZExtValue() >> 24 == 0x4c))
        return true;
    }
  }
  for (const llvm::GlobalVariable& global : module.globals()) {
    if (!global.isConstant() || !global.hasInitializer()) continue;
    if (const auto number = constant_at(&global); number && (*number >> 24 == 0x44 || *number >> 24 == 0x4c))
      return true;
  }
  return false;
}

// Where a handle stands, and which access to memory put it there.
struct Place {
  const Value* base = nullptr;
  std::int64_t offset = 0;
  llvm::MemoryLocation location;
};

Place place_of(const Value* address, llvm::LocationSize size, const llvm::DataLayout& layout) {
  llvm::APInt offset(64, 0);
  const Value* base = address->stripAndAccumulateConstantOffsets(layout, offset, true);
  return {base, offset.getSExtValue(), llvm::MemoryLocation(address, size)};
}

MemoryAccess* state_at_end(const Known& known, const llvm::BasicBlock* block) {
  for (auto* node = known.dominators->getNode(block); node; node = node->getIDom()) {
    const auto* defs = known.memory->getBlockDefs(node->getBlock());
    if (defs && !defs->empty()) return const_cast<MemoryAccess*>(&*defs->rbegin());
  }
  return known.memory->getLiveOnEntryDef();
}

bool is_written_before(const Place& place, MemoryAccess* reader, const llvm::BasicBlock* branch,
                       const Known& known) {
  auto* walker = known.memory->getWalker();
  auto* at_call = walker->getClobberingMemoryAccess(
      llvm::cast<llvm::MemoryUseOrDef>(reader)->getDefiningAccess(), place.location);
  auto* at_branch = walker->getClobberingMemoryAccess(state_at_end(known, branch), place.location);
  if (at_call != at_branch) return false;
  return !known.memory->isLiveOnEntryDef(at_call) || !llvm::isa<llvm::AllocaInst>(place.base);
}

// Reads at `base` cannot fault: a variable; a dummy argument may be absent.
bool may_be_read(const Value* base, bool fortran) {
  return llvm::isa<llvm::AllocaInst>(base) || llvm::isa<llvm::GlobalVariable>(base) ||
         (fortran && llvm::isa<llvm::Argument>(base));
}

struct FoundHint {
  CommHint hint;
  Place place;
  MemoryAccess* reader = nullptr;
  const llvm::Instruction* value = nullptr;
};

bool find(const GroupCall& call, Uniformity& uniformity, FoundHint* found) {
  Model& model = uniformity.model();
  const auto* copy = llvm::dyn_cast_or_null<llvm::CallBase>(model.copy_of(&call.call()));
  if (!copy || !call.comm() || call.routine().by_address) return false;
  const Known* known = uniformity.of(*copy->getFunction());
  if (!known) return false;
  const Value* comm = copy->getArgOperand(static_cast<unsigned>(call.routine().comm));
  const llvm::DataLayout& layout = layout_of(*copy->getFunction());
  CommHint& hint = found->hint;
  hint.fortran = call.is_fortran();
  hint.in_memory = false;
  hint.offset = 0;
  if (known_comm(call.comm(), call.routine().interface) != KnownComm::unknown) {
    hint.type = call.is_fortran() ? llvm::Type::getInt32Ty(copy->getContext()) : comm->getType();
    hint.base = call.is_fortran()
                    ? llvm::ConstantInt::get(hint.type, static_cast<std::uint64_t>(*constant_at(call.comm())))
                    : call.comm()->stripPointerCasts();
    return true;
  }
  hint.in_memory = true;
  if (call.is_fortran()) {
    hint.type = llvm::Type::getInt32Ty(copy->getContext());
    found->place = place_of(comm, llvm::LocationSize::precise(4), layout);
    found->reader = known->memory->getMemoryAccess(copy);
  } else {
    hint.type = comm->getType();
    if (llvm::isa<llvm::Argument>(comm)) {
      hint.base = model.original_of(comm);
      hint.in_memory = false;
      return hint.base != nullptr;
    }
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(comm);
    if (!load) return false;
    found->place = place_of(load->getPointerOperand(), llvm::MemoryLocation::get(load).Size, layout);
    found->reader = known->memory->getMemoryAccess(load);
  }
  if (!found->reader || !may_be_read(found->place.base, hint.fortran)) return false;
  hint.base = model.original_of(found->place.base);
  hint.offset = found->place.offset;
  return hint.base != nullptr;
}

}  // namespace

bool comm_of_call(const GroupCall& call, Uniformity& uniformity, CommHint* hint) {
  FoundHint found;
  if (!find(call, uniformity, &found)) return false;
  *hint = found.hint;
  return true;
}

CommHints find_hints(const Split& split, const SetFlow& flow, const Reach& reach, Uniformity& uniformity) {
  CommHints hints;
  const auto* branch = llvm::cast<llvm::Instruction>(uniformity.model().copy_of(split.branch));
  const Known* known = uniformity.of(*branch->getFunction());
  for (llvm::BasicBlock* block : flow.region(split.branch->getParent())) {
    for (const llvm::Instruction& instruction : *block) {
      const Reaches reaches = reach(instruction);
      if (reaches == Reaches::nothing) continue;
      const auto call =
          reaches == Reaches::message ? GroupCall::of_message(instruction) : GroupCall::of(instruction);
      FoundHint found;
      if (!known || reaches == Reaches::through || !call || !find(*call, uniformity, &found) ||
          (found.reader && !is_written_before(found.place, found.reader, branch->getParent(), *known))) {
        hints.others = true;
        continue;
      }
      if (!llvm::is_contained(hints.known, found.hint)) hints.known.push_back(found.hint);
    }
  }
  // One language at a time, and not too many.
  for (const CommHint& hint : hints.known) hints.others |= hint.fortran != hints.known[0].fortran;
  hints.others |= hints.known.size() > 16;
  return hints;
}

EmittedHints emit_hints(llvm::IRBuilder<>& builder, const CommHints& hints) {
  if (hints.others || hints.known.empty())
    return {builder.getInt32(0), llvm::ConstantPointerNull::get(builder.getPtrTy()), builder.getInt32(0)};
  llvm::Function& function = *builder.GetInsertBlock()->getParent();
  llvm::Module& module = *function.getParent();
  const CommHint& first = hints.known[0];
  const auto count = static_cast<unsigned>(hints.known.size());
  auto* type = llvm::ArrayType::get(first.type, count);
  const EmittedHints emitted{builder.getInt32(count), nullptr, builder.getInt32(first.fortran ? 1 : 0)};
  if (llvm::all_of(hints.known, [](const CommHint& hint) { return hint.is_constant(); })) {
    std::vector<llvm::Constant*> handles;
    for (const CommHint& hint : hints.known) handles.push_back(llvm::cast<llvm::Constant>(hint.base));
    auto* list = new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::PrivateLinkage,
                                          llvm::ConstantArray::get(type, handles), "lapwing.comms");
    list->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    return {emitted.comms, list, emitted.fortran};
  }
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::Value* list = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type, nullptr, "lapwing.comms");
  for (unsigned i = 0; i < count; ++i) {
    const CommHint& hint = hints.known[i];
    llvm::Value* handle = hint.base;
    if (hint.in_memory) {
      llvm::Value* from = handle;
      if (llvm::isa<llvm::Argument>(from)) {
        auto* none = new llvm::GlobalVariable(module, hint.type, true, llvm::GlobalValue::PrivateLinkage,
                                              null_of(hint, is_for_mpich(module)), "lapwing.no.comm");
        from = builder.CreateSelect(builder.CreateIsNull(from), none, from);
      } else if (hint.offset != 0) {
        from = builder.CreateConstGEP1_64(builder.getInt8Ty(), from, static_cast<std::uint64_t>(hint.offset));
      }
      handle = builder.CreateLoad(hint.type, from, "lapwing.comm");
    }
    builder.CreateStore(handle, builder.CreateConstInBoundsGEP2_32(type, list, 0, i));
  }
  return {emitted.comms, list, emitted.fortran};
}

}  // namespace lapwing::compiler
