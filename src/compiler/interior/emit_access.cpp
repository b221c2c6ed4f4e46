// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/emit_access.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Module.h>

#include "compiler/waits/emit.hpp"

namespace lapwing::compiler {

using llvm::IRBuilder;
using llvm::Value;

namespace {

// Collects the program's values that an expression is made of.
struct Leaves {
  llvm::SmallVectorImpl<llvm::Value*>& all;
  bool follow(const llvm::SCEV* part) {
    if (const auto* value = llvm::dyn_cast<llvm::SCEVUnknown>(part)) all.push_back(value->getValue());
    return true;
  }
  bool isDone() const { return false; }
};

}  // namespace

llvm::SmallVector<llvm::Value*, 8> values_of(const Footprint& footprint) {
  llvm::SmallVector<llvm::Value*, 8> all;
  Leaves leaves{all};
  const auto add = [&](const llvm::SCEV* expression) { llvm::visitAll(expression, leaves); };
  for (const llvm::SCEV* one : {footprint.first, footprint.bytes, footprint.by}) add(one);
  for (const Footprint::Step& step : footprint.inner) add(step.by), add(step.back_edges);
  return all;
}

bool is_safe_to_expand(const Footprint& footprint, llvm::SCEVExpander& expander) {
  const auto is_safe = [&](const llvm::SCEV* value) { return expander.isSafeToExpand(value); };
  return is_safe(footprint.first) && is_safe(footprint.bytes) && is_safe(footprint.by) &&
         llvm::all_of(footprint.inner, [&](const Footprint::Step& step) {
           return is_safe(step.by) && is_safe(step.back_edges);
         });
}

Value* expand_number(const llvm::SCEV* value, llvm::SCEVExpander& expander, llvm::Instruction* at) {
  Value* made = expander.expandCodeFor(value, value->getType(), at);
  return llvm::isa<llvm::Constant>(made) ? made : IRBuilder<>(at).CreateFreeze(made);
}

llvm::CallInst* call_access(IRBuilder<>& builder, llvm::SmallVector<Value*, 10> arguments) {
  while (arguments.size() < 4 + 2 * most_inner_loops) arguments.push_back(builder.getInt64(0));
  llvm::SmallVector<llvm::Type*, 10> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  llvm::FunctionCallee callee = runtime_function(*builder.GetInsertBlock()->getModule(),
                                                 "lapwing_interior_access", builder.getVoidTy(), types);
  if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    function->addParamAttr(0, llvm::Attribute::NoCapture);
    function->addParamAttr(0, llvm::Attribute::ReadNone);
  }
  return builder.CreateCall(callee, arguments);
}

llvm::CallInst* emit_access(const Footprint& footprint, int flags, llvm::SCEVExpander& expander,
                            llvm::Instruction* at, std::size_t inside) {
  const auto number = [&](const llvm::SCEV* value) { return expand_number(value, expander, at); };
  Value* first = number(footprint.first);
  Value* bytes = number(footprint.bytes);
  const int all = flags | (footprint.writes ? access_writes : 0) | (footprint.alone ? access_alone : 0);
  Value* none = llvm::ConstantInt::get(llvm::Type::getInt64Ty(at->getContext()), 0);
  llvm::SmallVector<Value*, 6> steps(2 * inside, none);
  for (const Footprint::Step& step : footprint.inner) {
    const bool is_divided = step.inside > 0 && step.inside <= inside;
    const std::size_t place = is_divided ? 2 * (step.inside - 1) : steps.size();
    if (!is_divided) steps.append(2, none);
    steps[place] = number(step.by);
    steps[place + 1] = number(step.back_edges);
  }
  Value* by = number(footprint.by);
  IRBuilder<> builder(at);
  if (!first->getType()->isPointerTy()) first = builder.CreateIntToPtr(first, builder.getPtrTy());
  if (footprint.where) bytes = builder.CreateSelect(footprint.where, bytes, builder.getInt64(0));
  llvm::SmallVector<Value*, 10> arguments{first, bytes, builder.getInt32(all), by};
  arguments.append(steps);
  return call_access(builder, arguments);
}

}  // namespace lapwing::compiler
