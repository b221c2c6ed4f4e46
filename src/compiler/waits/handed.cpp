// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/handed.hpp"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/effects/library_calls.hpp"
#include "compiler/waits/emit.hpp"

namespace lapwing::compiler {
namespace {

using llvm::CallBase;
using llvm::Function;
using llvm::Instruction;
using llvm::Value;

constexpr unsigned most_levels = 4;

llvm::SmallVector<Instruction*, 2> returns_of(Function& function) {
  llvm::SmallVector<Instruction*, 2> all;
  for (llvm::BasicBlock& block : function)
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) all.push_back(block.getTerminator());
  return all;
}

bool ends_by_a_call(Function& function) {
  return llvm::any_of(function, [](const llvm::BasicBlock& block) {
    return block.getTerminatingMustTailCall() || block.getTerminatingDeoptimizeCall();
  });
}

bool is_copied_for_callee(const llvm::Argument& argument) {
  return argument.hasByValAttr() || argument.hasInAllocaAttr() || argument.hasPreallocatedAttr();
}

// A pointer of the callee's as its caller can say it behind the call: arguments, variables with static
// storage, and what is loaded from either and is the same still when the callee returns.
class Carrier {
 public:
  Carrier(CallBase& call, Memory& memory, EffectsOf& effects, llvm::SmallVectorImpl<Instruction*>& made)
      : call_(call), memory_(memory), effects_(effects), made_(made), at_(after(call)) {}

  Value* carry(const Value* pointer, unsigned depth = 0) {
    if (llvm::isa<llvm::GlobalVariable>(pointer)) return const_cast<Value*>(pointer);
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(pointer))
      return is_copied_for_callee(*argument) ? nullptr : call_.getArgOperand(argument->getArgNo());
    llvm::APInt offset(64, 0);
    const llvm::DataLayout& layout = call_.getModule()->getDataLayout();
    if (const Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
        base != pointer) {
      Value* carried = carry(base, depth);
      if (!carried || offset.isZero()) return carried;
      llvm::IRBuilder<> builder(at_);
      return note(builder.CreateGEP(builder.getInt8Ty(), carried, builder.getInt64(offset.getZExtValue())));
    }
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(pointer);
    if (!load || !load->isSimple() || depth > 1 || !stays(*load)) return nullptr;
    Value* from = carry(load->getPointerOperand(), depth + 1);
    return from ? note(new llvm::LoadInst(load->getType(), from, "lapwing.base", at_)) : nullptr;
  }

 private:
  Value* note(Value* value) {
    if (auto* instruction = llvm::dyn_cast<Instruction>(value)) made_.push_back(instruction);
    return value;
  }

  bool stays(const llvm::LoadInst& load) {
    const auto where = llvm::MemoryLocation::get(&load).getWithoutAATags();
    return llvm::none_of(returns_of(*const_cast<Function*>(load.getFunction())), [&](const Instruction* end) {
      return any_between(load, *end, [&](const Instruction& i) {
        return llvm::isModSet(memory_.meet(i, effects_(i), where));
      });
    });
  }

  CallBase& call_;
  Memory& memory_;  // of the callee
  EffectsOf& effects_;
  llvm::SmallVectorImpl<Instruction*>& made_;
  Instruction* at_;
};

// The callee keeps the address beyond its end now.
void tell_of_flight(CallBase* call, Function& function, unsigned argument) {
  using llvm::Attribute;
  for (const auto kind :
       {Attribute::NoCapture, Attribute::ReadOnly, Attribute::ReadNone, Attribute::WriteOnly})
    call ? call->removeParamAttr(argument, kind) : function.removeParamAttr(argument, kind);
}

}  // namespace

bool is_end(const Stop& stop) { return stop.at == stop.culprit && llvm::isa<llvm::ReturnInst>(stop.at); }

HandedWaits::HandedWaits(llvm::Module& module, llvm::FunctionAnalysisManager& manager, EffectsOf& effects)
    : manager_(manager), effects_(effects) {
  llvm::CallGraph graph(module);
  llvm::SmallPtrSet<const Function*, 32> listed;
  for (auto scc = llvm::scc_begin(&graph); !scc.isAtEnd(); ++scc) {
    for (const llvm::CallGraphNode* node : *scc) {
      Function* function = node->getFunction();
      if (!function || function->isDeclaration()) continue;
      if (scc.hasCycle()) recursive_.insert(function);
      if (listed.insert(function).second) order_.push_back(function);
    }
  }
  for (Function& function : module)
    if (!function.isDeclaration() && !listed.contains(&function)) order_.push_back(&function);
}

bool HandedWaits::all_callers_are_known(Function& function) const {
  if (!function.hasLocalLinkage() || function.isVarArg() || recursive_.contains(&function) ||
      function.use_empty() || ends_by_a_call(function))
    return false;
  return llvm::all_of(function.uses(), [&](const llvm::Use& use) {
    auto* call = llvm::dyn_cast<CallBase>(use.getUser());
    return call && call->isCallee(&use) && call->getFunctionType() == function.getFunctionType() &&
           !call->isMustTailCall() && !llvm::isa<llvm::CallBrInst>(call) && after(*call);
  });
}

// Null where the caller cannot say what is in flight.
std::optional<Transfer> HandedWaits::seen_by_caller(const Transfer& transfer, CallBase& call,
                                                    llvm::SmallVectorImpl<Instruction*>& made) {
  Function& callee = *call.getCalledFunction();
  Memory memory(manager_.getResult<llvm::AAManager>(callee));
  Transfer t = transfer;
  t.call = &call;
  t.starts = {&call};
  t.queued = false;
  t.buffers.clear();
  for (const InFlight& buffer : transfer.buffers) {
    llvm::APInt offset(64, 0);
    const llvm::DataLayout& layout = call.getModule()->getDataLayout();
    const Value* object = llvm::getUnderlyingObject(buffer.where.Ptr);
    const bool exact = buffer.where.Ptr->stripAndAccumulateConstantOffsets(layout, offset, true) == object;
    Value* carried = Carrier(call, memory, effects_, made).carry(exact ? buffer.where.Ptr : object);
    if (!carried || llvm::isa<llvm::ConstantPointerNull>(carried) ||
        (llvm::isa<llvm::Constant>(carried) && !llvm::isa<llvm::GlobalVariable>(carried)) ||
        names_bottom(carried) || may_be_bottom(carried))
      return {};
    t.buffers.push_back({llvm::MemoryLocation(
                             carried, exact ? buffer.where.Size : llvm::LocationSize::beforeOrAfterPointer()),
                         buffer.written});
  }
  return t;
}

unsigned HandedWaits::worth(const Transfer& transfer, const Placement& placement, unsigned depth) {
  Function& function = *transfer.call->getFunction();
  const bool is_split =
      transfer.shape == Shape::send || transfer.shape == Shape::receive || transfer.shape == Shape::matched;
  if (!is_split || transfer.checked || transfer.queued || !transfer.touched.empty() ||
      transfer.buffers.empty() || depth > most_levels || llvm::none_of(placement.points, is_end) ||
      !all_callers_are_known(function))
    return 0;
  unsigned most = 0;
  llvm::SmallVector<CallBase*, 8> calls;
  for (llvm::User* user : function.users()) calls.push_back(llvm::cast<CallBase>(user));
  for (CallBase* call : calls) {
    Function& caller = *call->getFunction();
    if (caller.hasOptNone() || caller.isPresplitCoroutine() || may_be_jumped_into(caller)) continue;
    llvm::SmallVector<Instruction*, 4> made;
    if (auto t = seen_by_caller(transfer, *call, made)) {
      t->writes_of_unfinished = nullptr;  // not found yet; they are asked for when the wait is moved
      Memory memory(manager_.getResult<llvm::AAManager>(caller));
      const Flow flow{manager_.getResult<llvm::DominatorTreeAnalysis>(caller),
                      manager_.getResult<llvm::PostDominatorTreeAnalysis>(caller),
                      manager_.getResult<llvm::LoopAnalysis>(caller)};
      if (const auto there = place_aggressively(*t, memory, effects_, flow)) {
        most = std::max(most, there->worth);
        if (there->worth < worth_crossing) most = std::max(most, worth(*t, *there, depth + 1));
      }
    }
    for (Instruction* one : llvm::reverse(made)) one->eraseFromParent();
    if (most >= worth_crossing) break;
  }
  return most >= worth_crossing ? most : 0;
}

llvm::GlobalVariable* HandedWaits::hand_over(const Transfer& transfer) {
  Function& function = *transfer.call->getFunction();
  llvm::Module& module = *function.getParent();
  auto* pointer = llvm::PointerType::getUnqual(module.getContext());
  auto* slot = new llvm::GlobalVariable(module, pointer, false, llvm::GlobalValue::InternalLinkage,
                                        llvm::ConstantPointerNull::get(pointer), "lapwing.handed", nullptr,
                                        llvm::GlobalValue::InitialExecTLSModel);
  llvm::SmallVector<CallBase*, 8> calls;
  for (llvm::User* user : function.users()) calls.push_back(llvm::cast<CallBase>(user));
  for (CallBase* call : calls) {
    effects_(*call);  // the summary is that of the function as the program wrote it
    Instruction* const behind = after(*call);
    llvm::SmallVector<Instruction*, 4> made;
    auto t = seen_by_caller(transfer, *call, made);
    llvm::IRBuilder<> builder(behind);
    builder.SetCurrentDebugLocation(call->getDebugLoc());
    auto* token = builder.CreateLoad(pointer, slot, "lapwing.token");
    llvm::CallInst* wait =
        builder.CreateCall(runtime_function(module, "lapwing_wait", builder.getVoidTy(), {pointer}), {token});
    if (!t) t.emplace(transfer), t->buffers.clear();
    t->call = wait;
    t->starts = {call};
    waits_.try_emplace(wait, Wait{token, std::move(*t)});
    call->removeFnAttr(llvm::Attribute::Memory);
    for (unsigned i = 0; i < call->arg_size(); ++i) tell_of_flight(call, function, i);
    manager_.invalidate(*call->getFunction(), llvm::PreservedAnalyses::none());
  }
  function.removeFnAttr(llvm::Attribute::Memory);
  for (unsigned i = 0; i < function.arg_size(); ++i) tell_of_flight(nullptr, function, i);
  return slot;
}

std::optional<HandedWaits::Wait> HandedWaits::take(const Instruction& instruction) {
  const auto found = waits_.find(&instruction);
  if (found == waits_.end()) return {};
  std::optional<Wait> wait(std::move(found->second));
  waits_.erase(found);
  return wait;
}

}  // namespace lapwing::compiler
