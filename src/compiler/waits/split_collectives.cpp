// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/split_collectives.hpp"

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <iterator>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/effects/effects.hpp"

namespace lapwing::compiler {
namespace {

using llvm::StringRef;

// Written by src/calls/generate.py.
const Collective table_of_collectives[] = {
#include "split_collectives.inc"
};
static_assert(std::size(table_of_collectives) <= most_collectives);

std::optional<std::size_t> index_of(StringRef name) {
  for (std::size_t i = 0; i < std::size(table_of_collectives); ++i)
    if (table_of_collectives[i].name == name) return i;
  return {};
}

// Which kind a symbol belongs to, whatever name of MPI's it is.
std::optional<std::size_t> index_of_symbol(StringRef symbol) {
  if (symbol.consume_front("lapwing_pf08_")) return index_of(symbol);
  const auto found = find_symbol(symbol);
  return found ? index_of(found->routine->name) : std::nullopt;
}

// The names that a program's own calls have; not those of the profiling interface.
bool is_plain_name(StringRef symbol) {
  return symbol.starts_with("MPI_") || symbol.starts_with("mpi_") || symbol.starts_with("lapwing_f08_");
}

// A name of MPI's that stands for the address of something is none of the calls.
bool is_called_only(const llvm::Function& function) {
  for (const llvm::Use& use : function.uses()) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    if (!call || !call->isCallee(&use) || llvm::isa<llvm::CallBrInst>(call) || call->isMustTailCall() ||
        call->getFunctionType() != function.getFunctionType())
      return false;
    const auto mpi = MpiCall::of(*call);
    if (!mpi || mpi->kind() != Kind::collective) return false;
  }
  return true;
}

}  // namespace

bool is_floating(const MpiCall& call, int index) {
  const llvm::Value* type = call.argument(index);
  if (!call.is_fortran() && !type->getType()->isIntegerTy()) {
    const llvm::StringRef name = type->stripPointerCasts()->getName();
    return name.starts_with("ompi_mpi_") && (name.contains("float") || name.contains("double") ||
                                             name.contains("real") || name.contains("cplex"));
  }
  const auto number = constant_argument(call, index);
  if (!number) return false;
  const auto handle = static_cast<std::uint64_t>(*number) & 0xffffffffu;
  switch (handle & 0xffff00ffu) {
    case 0x4c00000a:  // MPICH: float, double, long double; real, complex and their kin
    case 0x4c00000b:
    case 0x4c00000c:
    case 0x4c00001c:
    case 0x4c00001e:
    case 0x4c00001f:
    case 0x4c000022:
      return true;
    default:
      return call.is_fortran() && handle >= 13 && handle <= 23;  // Open MPI
  }
}

llvm::ArrayRef<Collective> collectives() { return table_of_collectives; }

std::optional<std::size_t> collective_of(const MpiCall& call) {
  if (call.kind() != Kind::collective) return {};
  const llvm::StringRef symbol = call.call().getCalledOperand()->stripPointerCasts()->getName();
  return is_plain_name(symbol) ? index_of(call.routine().name) : std::nullopt;
}

bool may_change_bits(const MpiCall& call, const Collective& what) {
  return what.op >= 0 && is_floating(call, what.pieces.front().type);
}

std::string collective_name(StringRef stem, const MpiCall& call) {
  return (stem + call.routine().name + (call.is_fortran() ? "_" : "")).str();
}

CollectiveSet collectives_seen_whole(const llvm::Module& module) {
  CollectiveSet seen;
  seen.set();
  for (const llvm::Function& function : module) {
    // The function that the linker is to put in its place (--wrap).
    llvm::StringRef wrapped = function.getName();
    if (wrapped.consume_front("__wrap_") || wrapped.consume_front("__real_")) {
      if (const auto kind = index_of_symbol(wrapped)) seen.reset(*kind);
      continue;
    }
    const auto kind = index_of_symbol(function.getName());
    if (!kind) continue;
    const bool used = !function.use_empty() || !function.isDeclaration();
    if (used &&
        (!function.isDeclaration() || !is_plain_name(function.getName()) || !is_called_only(function)))
      seen.reset(*kind);
  }
  for (const llvm::GlobalAlias& alias : module.aliases())
    if (const auto kind = index_of_symbol(alias.getName())) seen.reset(*kind);
  return seen;
}

bool hand_over_collectives(llvm::Module& module, CollectiveSet kinds) {
  llvm::SmallVector<llvm::Function*, 8> theirs;
  for (llvm::Function& function : module) {
    const auto kind = index_of_symbol(function.getName());
    if (kind && kinds[*kind] && function.isDeclaration() && !function.use_empty())
      theirs.push_back(&function);
  }
  for (llvm::Function* function : theirs) {
    for (llvm::Use& use : llvm::make_early_inc_range(function->uses())) {
      auto* call = llvm::cast<llvm::CallBase>(use.getUser());
      const auto mpi = MpiCall::of(*call);
      const llvm::FunctionCallee callee =
          module.getOrInsertFunction(collective_name("lapwing_call_", *mpi), call->getFunctionType());
      call->setCalledFunction(callee);
    }
  }
  return !theirs.empty();
}

}  // namespace lapwing::compiler
