// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/freed_requests.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {
namespace {

using llvm::Value;

bool starts_send(Kind kind) { return kind == Kind::isend || kind == Kind::issend || kind == Kind::send_init; }

// A use of memory that holds a request: whether a send's may get there.
bool may_store_send(const llvm::Use& use, llvm::SmallVectorImpl<const Value*>& more) {
  const auto* user = use.getUser();
  if (llvm::isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst, llvm::GEPOperator>(user)) {
    more.push_back(user);
    return false;
  }
  if (llvm::isa<llvm::LoadInst>(user)) return false;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user))
    return use.getOperandNo() == 0 || !llvm::isa<llvm::Constant>(store->getValueOperand());
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user))
    return !intrinsic->isLifetimeStartOrEnd() && !llvm::isa<llvm::MemSetInst>(intrinsic) &&
           !intrinsic->isAssumeLikeIntrinsic();
  const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
  const auto mpi = call ? MpiCall::of(*call) : std::nullopt;
  return !mpi || mpi->kind() == Kind::outside || starts_send(mpi->kind());
}

bool may_be_a_sends(const Value* request) {
  const Value* object = llvm::getUnderlyingObject(request);
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object);
  if (!llvm::isa<llvm::AllocaInst>(object) && !(global && global->hasLocalLinkage())) return true;
  llvm::SmallPtrSet<const Value*, 16> seen;
  llvm::SmallVector<const Value*, 16> work{object};
  while (!work.empty()) {
    const Value* value = work.pop_back_val();
    if (!seen.insert(value).second) continue;
    for (const llvm::Use& use : value->uses())
      if (may_store_send(use, work)) return true;
  }
  return false;
}

}  // namespace

bool frees_sends(const llvm::Module& module) {
  bool frees = false, sends = false;
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() || function.use_empty()) continue;
    const auto symbol = find_symbol(function.getName());
    if (!symbol) continue;
    // With large counts, partitioned: those that the table does not have.
    sends |= starts_send(symbol->routine->kind) ||
             (symbol->routine->kind == Kind::outside && function.getName().contains_insensitive("send"));
    if (symbol->routine->kind != Kind::request_free || frees) continue;
    for (const llvm::User* user : function.users()) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      const auto mpi = call ? MpiCall::of(*call) : std::nullopt;
      frees |= !mpi || may_be_a_sends(mpi->argument(mpi->routine().any_request()));
    }
  }
  return frees && sends;
}

}  // namespace lapwing::compiler
