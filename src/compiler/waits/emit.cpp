// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/emit.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/waits/split_collectives.hpp"

namespace lapwing::compiler {

using llvm::IRBuilder;
using llvm::Value;

llvm::AllocaInst* scratch(llvm::Function& function, llvm::Type* type, const llvm::Twine& name) {
  llvm::BasicBlock& entry = function.getEntryBlock();
  IRBuilder<> builder(&entry, entry.begin());
  llvm::AllocaInst* memory = builder.CreateAlloca(type, nullptr, name);
  memory->setAlignment(llvm::Align(8));
  return memory;
}

llvm::AllocaInst* Slots::make(llvm::Type* type, llvm::Constant* initial, const llvm::Twine& name) {
  llvm::AllocaInst* slot = scratch(function_, type, name);
  IRBuilder<> builder(slot->getNextNode());
  builder.CreateStore(initial, slot);
  slots_.push_back(slot);
  return slot;
}

std::function<Value*(IRBuilder<>&)> Slots::keep(Value* value) {
  const auto* local = llvm::dyn_cast<llvm::AllocaInst>(value);
  if (!llvm::isa<llvm::Instruction>(value) || (local && local->isStaticAlloca()))
    return [value](IRBuilder<>&) { return value; };
  llvm::AllocaInst* slot = make(value->getType(), llvm::PoisonValue::get(value->getType()), "lapwing.kept");
  kept_.emplace_back(value, slot);
  return [slot](IRBuilder<>& builder) { return builder.CreateLoad(slot->getAllocatedType(), slot); };
}

void Slots::take(llvm::Instruction* at) {
  for (const auto& [value, slot] : kept_) IRBuilder<>(at).CreateStore(value, slot);
}

void Slots::promote() {
  llvm::DominatorTree dominators(function_);
  llvm::PromoteMemToReg(slots_, dominators);
  slots_.clear();
}

llvm::FunctionCallee runtime_function(llvm::Module& module, llvm::StringRef name, llvm::Type* result,
                                      llvm::ArrayRef<llvm::Type*> arguments) {
  auto* type = llvm::FunctionType::get(result, arguments, false);
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, type);
  // A wait takes the place of memory accesses, not of calls that could throw.
  if (name == "lapwing_wait" || name == "lapwing_drain" || name == "lapwing_poll" ||
      name.starts_with("lapwing_retire") || name.starts_with("lapwing_defer") ||
      name.starts_with("lapwing_reach") || name.starts_with("lapwing_verify") ||
      name.starts_with("lapwing_may") || name.starts_with("lapwing_interior")) {
    if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) function->setDoesNotThrow();
  }
  return callee;
}

Value* scalar_argument(const MpiCall& call, int index, IRBuilder<>& builder) {
  Value* value = call.argument(index);
  if (!call.is_fortran()) return value;
  // An instruction before the call would read a constant before it is stored.
  const auto constant = constant_argument(call, index);
  if (constant) return llvm::ConstantInt::getSigned(builder.getInt32Ty(), *constant);
  return builder.CreateLoad(builder.getInt32Ty(), value);
}

llvm::CallBase* emit_start(const MpiCall& call, const StartOf& start, llvm::Instruction* at, bool keep_status,
                           bool gives_error) {
  llvm::Module& module = *call.call().getModule();
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::getUnqual(context);
  IRBuilder<> builder(at);
  builder.SetCurrentDebugLocation(call.call().getDebugLoc());
  std::vector<Value*> arguments{call.argument(start.buffer)};
  for (int index : {start.count, start.type, start.rank, start.tag, start.comm})
    arguments.push_back(scalar_argument(call, index, builder));
  if (start.status >= 0) {
    // MPI_STATUS_IGNORE; Fortran's is an address that is not known here, for
    // which null stands.
    llvm::Constant* ignored = llvm::ConstantPointerNull::get(pointer);
    const bool mpich = !call.is_fortran() && call.argument(start.comm)->getType()->isIntegerTy();
    if (mpich) ignored = llvm::ConstantExpr::getIntToPtr(builder.getInt64(1), pointer);
    arguments.push_back(keep_status ? call.argument(start.status) : ignored);
  }
  std::string name = start.stem.str();
  if (call.is_fortran()) {
    name += '_';
    Value* error = gives_error ? call.error() : nullptr;
    arguments.push_back(error ? error : llvm::ConstantPointerNull::get(pointer));
  }
  std::vector<llvm::Type*> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  const llvm::FunctionCallee callee = runtime_function(module, name, pointer, types);
  auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call.call());
  if (invoke && at == invoke) {
    auto* started = builder.CreateInvoke(callee, invoke->getNormalDest(), invoke->getUnwindDest(), arguments,
                                         "lapwing.token");
    return started;
  }
  return builder.CreateCall(callee, arguments, "lapwing.token");
}

llvm::CallBase* emit_collective(const MpiCall& call, llvm::StringRef stem, llvm::Type* result,
                                llvm::Instruction* at) {
  IRBuilder<> builder(at);
  builder.SetCurrentDebugLocation(call.call().getDebugLoc());
  std::vector<Value*> arguments;
  std::vector<llvm::Type*> types;
  for (int i = 0; i < call.routine().arguments; ++i) {
    arguments.push_back(call.argument(i));
    types.push_back(arguments.back()->getType());
  }
  const llvm::FunctionCallee callee =
      runtime_function(*call.call().getModule(), collective_name(stem, call), result, types);
  return builder.CreateCall(callee, arguments);
}

void emit_if(Value* condition, llvm::Instruction* at, const std::function<void(IRBuilder<>&)>& body,
             bool rare) {
  llvm::MDNode* weights = rare ? llvm::MDBuilder(at->getContext()).createBranchWeights(1, 1000) : nullptr;
  llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(condition, at, false, weights);
  IRBuilder<> builder(then);
  body(builder);
}

}  // namespace lapwing::compiler
