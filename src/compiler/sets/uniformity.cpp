// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/uniformity.hpp"

#include <llvm/ADT/GenericUniformityImpl.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/TargetTransformInfoImpl.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/llvm_versions.hpp"
#include "compiler/sets/collective_calls.hpp"
#include "compiler/sets/content.hpp"
#include "compiler/sets/language_libraries.hpp"
#include "compiler/sets/memory_use.hpp"

namespace lapwing::compiler {
namespace {

using llvm::CallBase;
using llvm::Function;
using llvm::Value;

bool has_body(const Function* function) {
  return function && !function->isDeclaration() && !function->isInterposable();
}

// Tells LLVM's analysis where to begin.
class Seeds : public llvm::TargetTransformInfoImplCRTPBase<Seeds> {
  using Base = llvm::TargetTransformInfoImplCRTPBase<Seeds>;

 public:
  Seeds(const llvm::DataLayout& layout, const llvm::SmallPtrSetImpl<const Value*>& differing)
      : Base(layout), differing_(&differing) {}
  bool isSourceOfDivergence(const Value* value) const { return differing_->contains(value); }
  // The result of a call is decided by what is known of the callee, not by its arguments.
  bool isAlwaysUniform(const Value* value) const {
    const auto* call = llvm::dyn_cast<CallBase>(value);
    if (!call || differing_->contains(value) || llvm::isa<llvm::IntrinsicInst>(call)) return false;
    const Function* callee = callee_of(*call);
    return !callee || !gives_equal_results(callee->getName());
  }

 private:
  const llvm::SmallPtrSetImpl<const Value*>* differing_;
};

bool result_differs_by_itself(const CallBase& call, bool errors_differ) {
  if (call.isInlineAsm()) return true;
  if (llvm::isa<llvm::IntrinsicInst>(call)) return !call.doesNotAccessMemory();
  const Function* callee = callee_of(call);
  if (has_body(callee)) return callee->getFunctionType() != call.getFunctionType();
  if (!callee) return true;
  MemoryUse use;
  if (memory_use(call, &use)) return use.result_differs || errors_differ;
  // Error codes of MPI's other routines: errors end the program unless it asks for them.
  if (!routine_name(callee->getName()).empty() && call.getType()->isIntegerTy(32)) return errors_differ;
  // Memory is had on all processes.
  if (call.returnDoesNotAlias()) return false;
  return !gives_equal_results(callee->getName());
}

}  // namespace

bool Known::equal(const llvm::Use& use) const { return !differs_at(use, *uniformity, *cycles); }

Uniformity::~Uniformity() = default;

Uniformity::Uniformity(Model& model, const llvm::SetVector<Function*>& wanted)
    : model_(model), errors_differ_(asks_for_errors(model.module())) {
  llvm::SetVector<Function*> all(wanted.begin(), wanted.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (llvm::Instruction& instruction : llvm::instructions(all[i])) {
      const auto* call = llvm::dyn_cast<CallBase>(&instruction);
      const Function* callee = call ? callee_of(*call) : nullptr;
      if (has_body(callee)) all.insert(const_cast<Function*>(callee));
    }
  }
  // An argument is equal only if all who call are looked at.
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const llvm::User* user : all[i]->users())
      if (const auto* call = llvm::dyn_cast<CallBase>(user))
        all.insert(const_cast<Function*>(call->getFunction()));
  }
  for (Function* function : all) add(*function);
  for (auto& [function, known] : known_) seed(*known);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [function, known] : known_) compute(*known);
    for (auto& [function, known] : known_) changed |= refine(*known);
  }
}

const Known* Uniformity::of(const Function& function) const {
  const auto found = known_.find(&function);
  return found == known_.end() ? nullptr : found->second.get();
}

void Uniformity::add(Function& function) {
  auto known = std::make_unique<Known>();
  auto& analyses = model_.analyses();
  known->function = &function;
  known->dominators = &analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  known->cycles = &analyses.getResult<llvm::CycleAnalysis>(function);
  known->memory = &analyses.getResult<llvm::MemorySSAAnalysis>(function).getMSSA();
  known->is_main = function.getName() == "main" || function.getName() == "_QQmain";
  known->all_callers = function.hasLocalLinkage();
  for (const llvm::Use& use : function.uses()) {
    auto* call = llvm::dyn_cast<CallBase>(use.getUser());
    if (call && call->isCallee(&use) && call->getFunctionType() == function.getFunctionType()) {
      known->callers.push_back(call);
    } else {
      known->all_callers = false;
    }
  }
  known_.insert({&function, std::move(known)});
}

void Uniformity::seed(Known& known) {
  if (!known.all_callers)
    for (const llvm::Argument& argument : known.function->args()) known.differing.insert(&argument);
  for (const llvm::Instruction& instruction : llvm::instructions(*known.function)) {
    bool differs = instruction.isAtomic() || instruction.isVolatile() || instruction.isEHPad() ||
                   llvm::isa<llvm::VAArgInst>(instruction);
    if (const auto* call = llvm::dyn_cast<CallBase>(&instruction)) {
      differs |= !call->getType()->isVoidTy() && result_differs_by_itself(*call, errors_differ_);
    }
    if (differs) known.differing.insert(&instruction);
  }
}

void Uniformity::compute(Known& known) {
  if (known.fresh) return;
  known.fresh = true;
  const llvm::DataLayout& layout = model_.module().getDataLayout();
  llvm::TargetTransformInfo seeds(Seeds(layout, known.differing));
  known.uniformity = uniformity_of(*known.function, *known.dominators, *known.cycles, seeds);
  known.joins.clear();
  const llvm::SSAContext context = context_of(*known.function);
  llvm::GenericSyncDependenceAnalysis<llvm::SSAContext> ways(context, *known.dominators, *known.cycles);
  for (const llvm::BasicBlock& block : *known.function) {
    if (!known.dominators->isReachableFromEntry(&block) || !known.uniformity->hasDivergentTerminator(block))
      continue;
    const auto& found = ways.getJoinBlocks(&block);
    known.joins.insert(found.JoinDivBlocks.begin(), found.JoinDivBlocks.end());
    known.joins.insert(found.CycleDivBlocks.begin(), found.CycleDivBlocks.end());
  }
}

bool Uniformity::refine(Known& known) {
  bool changed = false;
  const auto differs = [&](Known& in, const Value* value) {
    if (!in.differing.insert(value).second) return;
    in.fresh = false;
    changed = true;
  };
  unsigned returns = 0;
  bool results_differ = false, parted = false;
  Content content(*this);
  for (const llvm::BasicBlock& block : *known.function) {
    if (!known.dominators->isReachableFromEntry(&block)) continue;
    for (const llvm::Instruction& instruction : block) {
      if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (known.equal(load) && !content.equal(*load)) differs(known, load);
      } else if (const auto* call = llvm::dyn_cast<CallBase>(&instruction)) {
        const Function* callee = callee_of(*call);
        Known* called = has_body(callee) ? of(*callee) : nullptr;
        if (!called || callee->getFunctionType() != call->getFunctionType()) continue;
        if (called->result_differs && !call->getType()->isVoidTy()) differs(known, call);
        for (unsigned i = 0; i < callee->arg_size(); ++i)
          if (!known.equal(call->getArgOperandUse(i))) differs(*called, callee->getArg(i));
      } else if (const auto* back = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) {
        ++returns;
        if (back->getReturnValue() && !known.equal(back->getOperandUse(0))) results_differ = true;
      }
    }
    parted |= known.uniformity->hasDivergentTerminator(block);
  }
  if ((results_differ || (returns > 1 && parted)) && !known.result_differs) {
    known.result_differs = true;
    changed = true;
  }
  return changed;
}

bool Uniformity::is_uniform(const llvm::Instruction& branch) const {
  const Known* known = of(*branch.getFunction());
  return known && known->dominators->isReachableFromEntry(branch.getParent()) &&
         !const_cast<llvm::UniformityInfo&>(*known->uniformity).hasDivergentTerminator(*branch.getParent());
}

}  // namespace lapwing::compiler
