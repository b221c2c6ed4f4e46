// SPDX-License-Identifier: Apache-2.0
#include "compiler/pass.hpp"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/interior/interior.hpp"
#include "compiler/interior/marks.hpp"
#include "compiler/loop_alignment.hpp"
#include "compiler/mpi/calls.hpp"
#include "compiler/waits/sink.hpp"

namespace lapwing::compiler {
namespace {

bool calls_mpi(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && !function.use_empty() && find_symbol(function.getName())) return true;
  return false;
}

}  // namespace

llvm::PreservedAnalyses LapwingPass::run(llvm::Module& module, llvm::ModuleAnalysisManager& manager) {
  if (!calls_mpi(module)) return llvm::PreservedAnalyses::all();
  auto& functions = manager.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  EffectsOf effects([&](const llvm::Function& function) -> const llvm::TargetLibraryInfo& {
    return functions.getResult<llvm::TargetLibraryAnalysis>(const_cast<llvm::Function&>(function));
  });
  const Profile profile(options_.profile);
  if (!profile.complaint.empty())
    llvm::errs() << "lapwing: " << profile.complaint << "; all sites are treated.\n";
  bool changed = false;
  Remarks remarks(functions, options_.at_link);
  CrossedCalls crossed;
  HandedWaits handed(module, functions, effects);
  const auto each = [&](auto treat) {
    for (llvm::Function* function : handed.callees_first()) {
      if (!function->hasOptNone() && !function->isPresplitCoroutine()) changed |= treat(*function);
    }
  };
  each([&](llvm::Function& f) { return divide_nests(f, functions, effects, options_, profile, remarks); });
  each([&](llvm::Function& f) {
    return sink_waits(f, functions, effects, options_, profile, remarks, crossed, handed);
  });
  if (options_.whole_program) {
    EffectsOf now = effects.anew();
    CollectiveChoice choice(collectives_seen_whole(module));
    const auto split = [&](llvm::Function& f) {
      return split_collectives(f, functions, now, options_, profile, remarks, crossed, choice);
    };
    each(split);
    choice.decide();
    each(split);
    if (options_.changes()) changed |= hand_over_collectives(module, choice.kinds());
  }
  if (options_.interior) each([](llvm::Function& f) { return remove_marks(f), false; });
  changed |= crossed.add_polls(functions);
  if (changed && options_.changes()) align_inner_loops(module);
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace lapwing::compiler
