// SPDX-License-Identifier: Apache-2.0
#include "compiler/declared/declared_pass.hpp"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/declared/pending_flow.hpp"
#include "compiler/names.hpp"
#include "compiler/remarks.hpp"

namespace lapwing::compiler {
namespace {

using llvm::Function;
using llvm::Instruction;

constexpr const char* declared_pass_name = "lapwing-declared";

std::vector<DeclaredBuffer> find_buffers(Function& function) {
  std::vector<DeclaredBuffer> found;
  for (Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call) continue;
    for (const DeclaredBuffer& buffer : declared_buffers(*call)) found.push_back(buffer);
  }
  return found;
}

std::string names_of(const DeclaredWait& wait, const std::vector<DeclaredBuffer>& buffers) {
  std::string names;
  for (const std::size_t b : wait.buffers) {
    const std::string one = buffer_name(buffers[b].buffer) + ", declared at " + place_name(*buffers[b].call);
    if (names.find(one) == std::string::npos) names += (names.empty() ? "" : ", and ") + one;
  }
  return names;
}

void remark(const DeclaredWait& wait, const std::vector<DeclaredBuffer>& buffers) {
  llvm::OptimizationRemarkEmitter emitter(wait.before->getFunction());
  const std::string names = names_of(wait, buffers);
  if (llvm::isa<llvm::ReturnInst>(wait.culprit) || llvm::isa<llvm::ResumeInst>(wait.culprit)) {
    emitter.emit([&] {
      return llvm::OptimizationRemarkMissed(declared_pass_name, "End", buffers[wait.buffers.front()].call)
             << llvm::ore::NV("Buffers", names)
             << ", may be pending where the function returns: it waits there";
    });
    return;
  }
  const char* what = wait.define ? " that may write it" : " that may read it";
  if (!wait.names_memory() && llvm::isa<llvm::CallBase>(wait.culprit)) {
    emitter.emit([&] {
      return llvm::OptimizationRemarkMissed(declared_pass_name, "Call", wait.culprit)
             << llvm::ore::NV("Buffers", names) << ": waits at "
             << llvm::ore::NV("At", place_name(*wait.before)) << " for all of it, before a call" << what;
    });
    return;
  }
  emitter.emit([&] {
    return llvm::OptimizationRemark(declared_pass_name, "Wait", wait.culprit)
           << llvm::ore::NV("Buffers", names) << ": a " << (wait.define ? "define" : "use") << " at "
           << llvm::ore::NV("At", place_name(*wait.before)) << ", before code" << what << " at "
           << llvm::ore::NV("Culprit", place_name(*wait.culprit));
  });
}

class Inserter {
 public:
  explicit Inserter(Function& function) : function_(function), module_(*function.getParent()) {
    llvm::LLVMContext& context = module_.getContext();
    nothing_ = llvm::Type::getVoidTy(context);
    pointer_ = llvm::PointerType::getUnqual(context);
    word_ = module_.getDataLayout().getIntPtrType(context);
  }

  /// Keeps the memory of a declaration.
  llvm::Value* note(const DeclaredBuffer& buffer) {
    auto* noted = llvm::ArrayType::get(word_, 2);
    llvm::BasicBlock& entry = function_.getEntryBlock();
    llvm::IRBuilder<> start(&entry, entry.begin());
    auto* slot = start.CreateAlloca(noted, nullptr, "lapwing.noted");
    start.SetInsertPoint(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    start.CreateStore(llvm::ConstantAggregateZero::get(noted), slot);
    llvm::IRBuilder<> builder(buffer.call);
    builder.SetCurrentDebugLocation(buffer.call->getDebugLoc());
    builder.CreateCall(runtime(buffer.fortran ? "lapwing_declared_note_f" : "lapwing_declared_note",
                               {pointer_, pointer_, buffer.count->getType(), buffer.type->getType()}),
                       {slot, buffer.buffer, buffer.count, buffer.type});
    return slot;
  }

  void wait(const DeclaredWait& wait, const std::vector<llvm::Value*>& slots,
            llvm::ScalarEvolution& evolution) {
    llvm::IRBuilder<> builder(wait.before);
    builder.SetCurrentDebugLocation(wait.before->getDebugLoc());
    if (!wait.names_memory()) {
      for (const std::size_t b : wait.buffers)
        builder.CreateCall(
            runtime(wait.define ? "lapwing_declared_define" : "lapwing_declared_use", {pointer_}),
            {slots[b]});
      return;
    }
    auto* pointer = const_cast<llvm::Value*>(wait.pointer);
    llvm::Value* bytes = llvm::ConstantInt::get(word_, wait.bytes);
    if (wait.from) {
      llvm::SCEVExpander expander(evolution, module_.getDataLayout(), "lapwing");
      pointer = expander.expandCodeFor(wait.from, pointer_, wait.before);
      bytes = expander.expandCodeFor(wait.length, word_, wait.before);
      builder.SetInsertPoint(wait.before);
    }
    builder.CreateCall(runtime(wait.define ? "lapwing_define" : "lapwing_use", {pointer_, word_}),
                       {pointer, bytes});
  }

 private:
  llvm::FunctionCallee runtime(llvm::StringRef name, llvm::ArrayRef<llvm::Type*> arguments) {
    auto callee = module_.getOrInsertFunction(name, llvm::FunctionType::get(nothing_, arguments, false));
    if (auto* function = llvm::dyn_cast<Function>(callee.getCallee())) function->setDoesNotThrow();
    return callee;
  }

  Function& function_;
  llvm::Module& module_;
  llvm::Type *nothing_, *pointer_, *word_;
};

bool insert(Function& function, llvm::FunctionAnalysisManager& functions, EffectsOf& effects) {
  if (find_buffers(function).empty()) return false;
  // Without optimisation pointers lie in memory, and could be anything.
  functions.invalidate(function, llvm::SROAPass(llvm::SROAOptions::PreserveCFG).run(function, functions));
  const std::vector<DeclaredBuffer> buffers = find_buffers(function);
  Memory memory(functions.getResult<llvm::AAManager>(function));
  memory.forget_owners();  // addresses decide at run time
  DeclaredTouch touch(memory, effects, function.getParent()->getDataLayout());
  auto& evolution = functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
  DeclaredFlow flow(function, buffers, touch, functions.getResult<llvm::LoopAnalysis>(function),
                    functions.getResult<llvm::DominatorTreeAnalysis>(function), evolution);
  const std::vector<DeclaredWait> waits = flow.waits();
  Inserter inserter(function);
  std::vector<llvm::Value*> slots;
  for (const DeclaredBuffer& buffer : buffers) slots.push_back(inserter.note(buffer));
  for (const DeclaredWait& wait : waits) {
    remark(wait, buffers);
    inserter.wait(wait, slots, evolution);
  }
  return true;
}

bool declares(Function& function) { return !function.isDeclaration() && !find_buffers(function).empty(); }

}  // namespace

llvm::PreservedAnalyses DeclaredInline::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (Function& function : module) {
    if (function.getName() == "main" || function.isInterposable() || !declares(function)) continue;
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::AlwaysInline);
  }
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses DeclaredPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& manager) {
  auto& functions = manager.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  EffectsOf effects(
      [&](const Function& function) -> const llvm::TargetLibraryInfo& {
        return functions.getResult<llvm::TargetLibraryAnalysis>(const_cast<Function&>(function));
      },
      EffectsOf::Of::nameable);
  bool changed = false;
  for (Function& function : module)
    if (!function.isDeclaration()) changed |= insert(function, functions, effects);
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace lapwing::compiler
