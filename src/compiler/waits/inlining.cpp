// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/inlining.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/interior/bring_together.hpp"
#include "compiler/waits/candidates.hpp"

namespace lapwing::compiler {
namespace {

// Code may grow by a twentieth; communication is a small part of it.
constexpr unsigned most_instructions = 600;
constexpr unsigned most_callers = 3;
constexpr const char* threshold = "1500";

bool starts_or_waits(const llvm::Function& function) {
  for (const llvm::Instruction& i : llvm::instructions(function)) {
    const auto call = MpiCall::of(i);
    if (call && (is_candidate(*call) || call->kind() == Kind::isend || call->kind() == Kind::irecv))
      return true;
  }
  return false;
}

}  // namespace

llvm::PreservedAnalyses InlineHelp::run(llvm::Module& module, llvm::ModuleAnalysisManager& manager) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || function.hasFnAttribute(llvm::Attribute::NoInline) ||
        function.hasOptNone())
      continue;
    if (function.getInstructionCount() > most_instructions || function.getNumUses() > most_callers) continue;
    if (starts_or_waits(function)) function.addFnAttr("function-inline-threshold", threshold);
  }
  if (!interior_) return llvm::PreservedAnalyses::all();
  auto& functions = manager.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  EffectsOf effects([&](const llvm::Function& function) -> const llvm::TargetLibraryInfo& {
    return functions.getResult<llvm::TargetLibraryAnalysis>(const_cast<llvm::Function&>(function));
  });
  bring_together(module, functions, effects);
  return llvm::PreservedAnalyses::all();
}

}  // namespace lapwing::compiler
