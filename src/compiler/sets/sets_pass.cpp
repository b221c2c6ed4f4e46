// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/sets_pass.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/sets/communicator_hints.hpp"
#include "compiler/sets/indirect_calls.hpp"
#include "compiler/sets/insert_calls.hpp"
#include "compiler/sets/mismatch.hpp"
#include "compiler/sets/reachability.hpp"
#include "compiler/sets/sets_remarks.hpp"
#include "compiler/sets/sibling_calls.hpp"
#include "compiler/sets/splits.hpp"
#include "compiler/sets/uniformity.hpp"

namespace lapwing::compiler {
namespace {

using llvm::Function;

constexpr const char* done = "lapwing.sets";

// The splits of a function that stay.
struct Kept {
  FunctionSplits* of;
  std::vector<const Split*> splits;
  std::vector<CommHints> hints;
  std::vector<Handler> handlers;
  std::vector<PointerCall> pointers;
};

// A split inside another widens the one around it: where the inner concerns all communicators,
// so does the outer, or its members would wait for processes that have gone another way.
void widen(Kept& kept) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t outer = 0; outer < kept.splits.size(); ++outer) {
      if (kept.hints[outer].others) continue;
      const auto region = kept.of->flow->region(kept.splits[outer]->branch->getParent());
      for (std::size_t inner = 0; inner < kept.splits.size(); ++inner) {
        if (!kept.hints[inner].others || !llvm::is_contained(region, kept.splits[inner]->branch->getParent()))
          continue;
        kept.hints[outer].others = changed = true;
        break;
      }
    }
  }
}

std::vector<Kept> decide(llvm::Module& module, std::vector<FunctionSplits>& found, const Reach& reach,
                         bool runs, llvm::SmallPtrSetImpl<const llvm::CallBase*>& siblings) {
  std::vector<Kept> kept;
  bool any = false;
  for (FunctionSplits& one : found) {
    kept.push_back({&one, {}, {}, {}, {}});
    if (!one.refused_whole.empty()) continue;
    kept.back().pointers = find_pointer_calls(one, reach);
    any |= !one.splits.empty() || !kept.back().pointers.empty();
  }
  if (!any) return kept;
  Model model(module);
  llvm::SetVector<Function*> wanted;
  for (const FunctionSplits& one : found)
    if (auto* copy = llvm::dyn_cast_or_null<Function>(model.copy_of(one.function))) wanted.insert(copy);
  Uniformity uniformity(model, wanted);
  MismatchSearch search(reach, uniformity);
  std::vector<Mismatch> mismatches;
  for (Kept& mine : kept) {
    const FunctionSplits& one = *mine.of;
    if (!one.refused_whole.empty()) continue;
    std::erase_if(mine.pointers, [&](const PointerCall& call) { return is_uniform(call, uniformity); });
    for (const PointerCall& call : mine.pointers) remark_pointer(*call.call);
    for (const Split& split : one.splits) {
      const auto* copy = llvm::dyn_cast_or_null<llvm::Instruction>(model.copy_of(split.branch));
      if (copy && uniformity.is_uniform(*copy)) {
        remark_uniform(split);
        continue;
      }
      remark_split(split);
      find_siblings(split, *one.flow, reach, uniformity, runs, siblings);
      if (!runs && options().warns) search.look(split, *one.flow, &mismatches);
      mine.splits.push_back(&split);
      mine.hints.push_back(find_hints(split, *one.flow, reach, uniformity));
    }
    widen(mine);
  }
  warn_of(std::move(mismatches));
  return kept;
}

}  // namespace

llvm::PreservedAnalyses SetsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& manager) {
  if (mode_ == Sets::off || module.getNamedMetadata(done)) return llvm::PreservedAnalyses::all();
  auto& functions = manager.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  const auto library = [&](Function& function) -> const llvm::TargetLibraryInfo& {
    return functions.getResult<llvm::TargetLibraryAnalysis>(function);
  };
  const Reach reach(module, library, mode_ == Sets::run && options().messages);
  std::vector<FunctionSplits> found;
  std::vector<GroupCall> calls;
  for (Function& function : module) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage() || !reach(function)) continue;
    found.push_back(find_splits(function, reach));
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (const auto call = GroupCall::of(instruction)) calls.push_back(*call);
  }
  const std::vector<Target> targets = find_targets(module, reach);
  if (found.empty() && targets.empty()) return llvm::PreservedAnalyses::all();
  llvm::SmallPtrSet<const llvm::CallBase*, 8> siblings;
  auto kept = decide(module, found, reach, mode_ == Sets::run, siblings);
  for (Kept& one : kept) one.handlers = find_handlers(*one.of->function, *one.of->flow, reach, one.splits);

  SetsInserter inserter(module);
  bool changed = !calls.empty() || !targets.empty();
  for (const GroupCall& call : calls) inserter.mark(call, siblings.contains(&call.call()));
  for (const Kept& one : kept) {
    for (const RefusedSplit& refused : one.of->refused) remark_refused(refused);
    if (!one.of->refused_whole.empty()) {
      if (!one.of->splits.empty()) remark_refused(*one.of->function, one.of->refused_whole);
      continue;
    }
    for (const Handler& handler : one.handlers) {
      if (handler.communicates) remark_refused_in_handler(*handler.communicates);
      inserter.handler(handler);
      changed |= handler.brackets;
    }
    if (!one.splits.empty()) inserter.splits(*one.of->function, one.splits, one.hints);
    for (const PointerCall& call : one.pointers) inserter.pointer_call(call);
    changed |= !one.splits.empty() || !one.pointers.empty();
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  inserter.declare(mode_ == Sets::run ? 2 : 1, targets);
  module.getOrInsertNamedMetadata(done);
  return llvm::PreservedAnalyses::none();
}

}  // namespace lapwing::compiler
