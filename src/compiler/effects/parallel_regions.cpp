// SPDX-License-Identifier: Apache-2.0
#include "compiler/effects/parallel_regions.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {
namespace {

// void __kmpc_fork_call(ident, how many are handed, region, ...); regions are called with the addresses of
// two thread numbers, and then with what is handed to them.
constexpr unsigned first_handed = 3;
constexpr unsigned first_received = 2;

llvm::StringRef runtime_name(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee && callee->isDeclaration() ? callee->getName() : llvm::StringRef();
}

// The region neither writes to the variable that this call hands to it, nor gives its address on.
bool is_only_read(const llvm::CallBase& call, unsigned argument) {
  const llvm::Function* region = region_of(call);
  if (!region || argument < first_handed) return false;
  llvm::SmallVector<const llvm::Value*, 8> work{region->getArg(argument - first_handed + first_received)};
  while (!work.empty()) {
    for (const llvm::Use& use : work.pop_back_val()->uses()) {
      const llvm::User* user = use.getUser();
      if (llvm::isa<llvm::LoadInst>(user) || llvm::isa<llvm::DbgInfoIntrinsic>(user)) continue;
      if (llvm::isa<llvm::GEPOperator>(user)) {
        work.push_back(user);
        continue;
      }
      const auto* inner = llvm::dyn_cast<llvm::CallBase>(user);
      if (!inner || !inner->isArgOperand(&use) || region_of(*inner) == region ||
          !is_only_read(*inner, inner->getArgOperandNo(&use)))
        return false;
    }
  }
  return true;
}

}  // namespace

const llvm::Function* region_of(const llvm::CallBase& call) {
  if (runtime_name(call) != "__kmpc_fork_call" || call.arg_size() < first_handed) return nullptr;
  const auto* region =
      llvm::dyn_cast<llvm::Function>(call.getArgOperand(first_handed - 1)->stripPointerCasts());
  if (!region || region->isDeclaration() || region->isInterposable() || region->isVarArg()) return nullptr;
  const bool fits = region->arg_size() + first_handed == call.arg_size() + first_received;
  return fits ? region : nullptr;
}

const llvm::Value* handed_to_region(const llvm::CallBase& call, unsigned argument) {
  return argument < first_received ? nullptr : call.getArgOperand(argument - first_received + first_handed);
}

bool stays_in_team(const llvm::CallBase& call) {
  const llvm::StringRef name = runtime_name(call);
  return name == "__kmpc_for_static_init_4" || name == "__kmpc_for_static_init_4u" ||
         name == "__kmpc_for_static_init_8" || name == "__kmpc_for_static_init_8u" ||
         name == "__kmpc_for_static_fini" || name.starts_with("__kmpc_dispatch_") ||
         name == "__kmpc_global_thread_num" || name == "__kmpc_barrier" ||
         name == "__kmpc_push_num_threads" || name == "omp_get_thread_num" || name == "omp_get_num_threads" ||
         name == "omp_get_max_threads";
}

bool meets_team(const llvm::CallBase& call) { return runtime_name(call) == "__kmpc_barrier"; }

bool regions_communicate(const llvm::Module& module) {
  llvm::SmallSetVector<const llvm::Function*, 16> called;
  if (const llvm::Function* fork = module.getFunction("__kmpc_fork_call")) {
    for (const llvm::User* user : fork->users())
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user))
        if (const llvm::Function* region = region_of(*call)) called.insert(region);
  }
  for (std::size_t next = 0; next < called.size(); ++next) {
    for (const llvm::Instruction& i : llvm::instructions(called[next])) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
      if (!call) continue;
      if (const auto mpi = MpiCall::of(i); mpi && mpi->kind() != Kind::query && mpi->kind() != Kind::poll)
        return true;
      const llvm::Function* callee = call->getCalledFunction();
      if (callee && !callee->isDeclaration()) called.insert(callee);
      if (const llvm::Function* inner = region_of(*call)) called.insert(inner);
    }
  }
  return false;
}

bool find_pointers_in(const llvm::Value* where, std::int64_t offset,
                      llvm::SmallVectorImpl<const llvm::Value*>& found) {
  const auto* local = llvm::dyn_cast<llvm::AllocaInst>(where->stripPointerCasts());
  if (!local) return false;
  const llvm::DataLayout& layout = local->getModule()->getDataLayout();
  const auto pointer_size = static_cast<std::int64_t>(layout.getPointerSize());
  llvm::SmallVector<std::pair<const llvm::Value*, std::int64_t>, 8> work{{local, 0}};
  while (!work.empty()) {
    const auto [address, at] = work.pop_back_val();
    for (const llvm::Use& use : address->uses()) {
      const llvm::User* user = use.getUser();
      if (const auto* further = llvm::dyn_cast<llvm::GEPOperator>(user)) {
        llvm::APInt step(layout.getIndexTypeSizeInBits(further->getType()), 0);
        if (!further->accumulateConstantOffset(layout, step)) return false;
        work.push_back({further, at + step.getSExtValue()});
      } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        const llvm::Value* value = store->getValueOperand();
        if (use.getOperandNo() != store->getPointerOperandIndex()) return false;
        const auto size =
            static_cast<std::int64_t>(layout.getTypeStoreSize(value->getType()).getFixedValue());
        if (at + size <= offset || offset + pointer_size <= at) continue;
        if (at != offset || !value->getType()->isPointerTy()) return false;
        found.push_back(value);
      } else if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) {
        if (llvm::isa<llvm::DbgInfoIntrinsic>(call)) continue;
        if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call);
            intrinsic && intrinsic->isLifetimeStartOrEnd())
          continue;
        if (!call->isArgOperand(&use)) return false;
        if (!is_only_read(*call, call->getArgOperandNo(&use))) return false;
      } else if (!llvm::isa<llvm::LoadInst>(user)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace lapwing::compiler
