// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/versioned_calls.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/effects/effects.hpp"

namespace lapwing::compiler {
namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

constexpr const char* own = "lapwing.own";

Value* ask(llvm::StringRef stem, const MpiCall& call, llvm::ArrayRef<Value*> arguments,
           IRBuilder<>& builder) {
  std::vector<llvm::Type*> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  const llvm::FunctionCallee callee = runtime_function(
      *call.call().getModule(), stem.str() + (call.is_fortran() ? "_" : ""), builder.getInt32Ty(), types);
  return builder.CreateICmpNE(builder.CreateCall(callee, arguments), builder.getInt32(0), "lapwing.may");
}

// An invoke ends its block: the other way goes straight to its normal destination.
llvm::Instruction* part_at(llvm::InvokeInst& call, Value* answer) {
  BasicBlock* before = call.getParent();
  BasicBlock* normal = call.getNormalDest();
  BasicBlock* its = before->splitBasicBlock(&call, "lapwing.own");
  BasicBlock* other = BasicBlock::Create(call.getContext(), "lapwing.split", before->getParent(), its);
  IRBuilder<> builder(other);
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  llvm::Instruction* end = builder.CreateBr(normal);
  for (llvm::PHINode& phi : normal->phis()) {
    Value* given = phi.getIncomingValueForBlock(its);
    phi.addIncoming(given == &call ? llvm::ConstantInt::get(call.getType(), 0) : given, other);
  }
  llvm::BranchInst* fork = llvm::BranchInst::Create(other, its, answer);
  fork->setDebugLoc(call.getDebugLoc());
  llvm::ReplaceInstWithInst(before->getTerminator(), fork);
  if (!call.use_empty()) {
    llvm::PHINode* error = IRBuilder<>(normal, normal->begin()).CreatePHI(call.getType(), 2, "lapwing.error");
    call.replaceUsesWithIf(error, [&](const llvm::Use& use) {
      const auto* phi = llvm::dyn_cast<llvm::PHINode>(use.getUser());
      return !phi || phi->getParent() != normal;
    });
    error->addIncoming(&call, its);
    error->addIncoming(llvm::ConstantInt::get(call.getType(), 0), other);
  }
  return end;
}

llvm::Instruction* part_at(llvm::CallInst& call, Value* answer) {
  llvm::Instruction *then = nullptr, *otherwise = nullptr;
  llvm::Instruction* behind = call.getNextNode();
  llvm::SplitBlockAndInsertIfThenElse(answer, &call, &then, &otherwise);
  call.moveBefore(otherwise);
  if (!call.use_empty()) {
    BasicBlock* joined = behind->getParent();
    llvm::PHINode* error = IRBuilder<>(joined, joined->begin()).CreatePHI(call.getType(), 2, "lapwing.error");
    call.replaceAllUsesWith(error);
    error->addIncoming(&call, otherwise->getParent());
    error->addIncoming(llvm::ConstantInt::get(call.getType(), 0), then->getParent());
  }
  return then;
}

// The error of `call`, read where nothing else can have been written to it.
bool is_its_error(const Value* value, const llvm::CallBase& call) {
  if (value == &call) return true;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  const auto mpi = MpiCall::of(call);
  if (!load || !mpi || !mpi->error() || load->getPointerOperand() != mpi->error()) return false;
  for (const llvm::Instruction* i = load->getPrevNode(); i; i = i->getPrevNode()) {
    if (i == &call) return true;
    if (i->mayWriteToMemory()) return false;
  }
  return false;
}

// Where a branch on an error goes that is MPI_SUCCESS.
const BasicBlock* success_of(const llvm::Instruction& branch,
                             llvm::function_ref<bool(const Value*)> is_error) {
  const auto* fork = llvm::dyn_cast<llvm::BranchInst>(&branch);
  if (!fork || !fork->isConditional()) return nullptr;
  const auto* compared = llvm::dyn_cast<llvm::ICmpInst>(fork->getCondition());
  const auto* number = compared ? llvm::dyn_cast<llvm::ConstantInt>(compared->getOperand(1)) : nullptr;
  if (!number || !is_error(compared->getOperand(0))) return nullptr;
  const llvm::APInt success(number->getBitWidth(), 0);
  return fork->getSuccessor(
      llvm::ICmpInst::compare(success, number->getValue(), compared->getPredicate()) ? 0 : 1);
}

bool is_any_error(const Value* value) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) {
    return llvm::any_of(phi->incoming_values(), [](const llvm::Use& one) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(one.get());
      return call && is_own_way(*call);
    });
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(value)) return MpiCall::of(*call).has_value();
  for (const llvm::Instruction* i = load; i; i = i->getPrevNode()) {
    const auto call = MpiCall::of(*i);
    if (call && call->error() == load->getPointerOperand()) return true;
  }
  return false;
}

}  // namespace

Value* ask_may_split(const MpiCall& call, const StartOf& half, llvm::Instruction* at) {
  IRBuilder<> builder(at);
  builder.SetCurrentDebugLocation(call.call().getDebugLoc());
  std::vector<Value*> arguments;
  for (int index : {half.count, half.type, half.rank, half.comm})
    arguments.push_back(scalar_argument(call, index, builder));
  return ask("lapwing_may_split", call, arguments, builder);
}

Value* ask_may_split_collective(const MpiCall& call) {
  IRBuilder<> builder(&call.call());
  llvm::CallBase* asked = emit_collective(call, "lapwing_may_split_", builder.getInt32Ty(), &call.call());
  builder.SetCurrentDebugLocation(call.call().getDebugLoc());
  return builder.CreateICmpNE(asked, builder.getInt32(0), "lapwing.may");
}

Value* ask_may_sink(const MpiCall& wait, llvm::Constant* comm, llvm::Instruction* at) {
  IRBuilder<> builder(at);
  builder.SetCurrentDebugLocation(wait.call().getDebugLoc());
  if (!comm) {
    // Unknown; in MPICH's C interface communicators are integers.
    if (wait.is_fortran()) {
      comm = builder.getInt32(-1u);
    } else if (request_bytes(wait) == 4) {
      comm = builder.getInt32(0);
    } else {
      comm = llvm::ConstantPointerNull::get(builder.getPtrTy());
    }
  }
  return ask("lapwing_may_sink", wait, {comm}, builder);
}

llvm::Instruction* part_ways(const MpiCall& call, Value* answer) {
  llvm::CallBase& program = call.call();
  program.setMetadata(own, llvm::MDNode::get(program.getContext(), {}));
  auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&program);
  llvm::Instruction* end =
      invoke ? part_at(*invoke, answer) : part_at(llvm::cast<llvm::CallInst>(program), answer);
  if (Value* error = call.error()) {
    IRBuilder<> builder(end);
    // An optional argument that is handed on may be absent.
    if (!llvm::isa<llvm::AllocaInst>(error) && !llvm::isa<llvm::GlobalVariable>(error)) {
      Value* place = scratch(*program.getFunction(), builder.getInt32Ty(), "lapwing.error");
      error = builder.CreateSelect(builder.CreateIsNotNull(error), error, place);
    }
    end = builder.CreateStore(builder.getInt32(0), error);
  }
  return end;
}

bool is_own_way(const llvm::CallBase& call) { return call.getMetadata(own) != nullptr; }

llvm::Instruction* before_fork(llvm::Instruction& instruction) {
  BasicBlock* before = instruction.getParent()->getSinglePredecessor();
  auto* fork = before ? llvm::dyn_cast<llvm::BranchInst>(before->getTerminator()) : nullptr;
  if (!fork || !fork->isConditional()) return &instruction;
  const auto* compared = llvm::dyn_cast<llvm::ICmpInst>(fork->getCondition());
  const auto* asked = compared ? llvm::dyn_cast<llvm::CallInst>(compared->getOperand(0)) : nullptr;
  const llvm::Function* callee = asked ? asked->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with("lapwing_may_") ? fork : &instruction;
}

llvm::Constant* common_communicator(llvm::ArrayRef<llvm::CallBase*> starts) {
  llvm::Constant* common = nullptr;
  for (const llvm::CallBase* start : starts) {
    const auto call = MpiCall::of(*start);
    const int index = call->routine().comm;
    llvm::Constant* comm = nullptr;
    if (call->is_fortran()) {
      const auto number = constant_argument(*call, index);
      // Open MPI's world and self; MPICH does not look.
      if (number == 0 || number == 1)
        comm = llvm::ConstantInt::get(llvm::Type::getInt32Ty(start->getContext()),
                                      static_cast<std::uint64_t>(*number));
    } else if (auto* object = llvm::dyn_cast<llvm::GlobalVariable>(call->argument(index))) {
      if (object->getName() == "ompi_mpi_comm_world" || object->getName() == "ompi_mpi_comm_self")
        comm = object;
    }
    if (!comm || (common && common != comm)) return nullptr;
    common = comm;
  }
  return common;
}

const BasicBlock* way_of_success(const llvm::Instruction& branch, const llvm::CallBase& call) {
  return success_of(branch, [&](const Value* value) { return is_its_error(value, call); });
}

bool is_after_failure(const BasicBlock& block) {
  const BasicBlock* one = &block;
  for (int above = 0; one && above < 4; ++above) {
    const BasicBlock* before = one->getSinglePredecessor();
    const BasicBlock* success = before ? success_of(*before->getTerminator(), is_any_error) : nullptr;
    if (success && success != one) return true;
    one = before;
  }
  return false;
}

}  // namespace lapwing::compiler
