// SPDX-License-Identifier: Apache-2.0
// LapwingPass.so: how clang, flang, lld and opt find the pass.
//
// It runs once the inliner is through and before loops are vectorised. With full LTO that is at link time
// only, when all files are one: the wrappers load it for the link step alone, and who loads it by hand for
// the compile step as well says `prelink` there. LLVM's pipeline for the link calls plugins at its begin and
// at its end, so at its begin functions of different files are inlined into each other first.
//
// Process sets are different: they go in at the very beginning of the compile
// step, at every level of optimisation.
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/declared/declared_pass.hpp"
#include "compiler/pass.hpp"
#include "compiler/sets/sets_pass.hpp"
#include "compiler/waits/aborts.hpp"
#include "compiler/waits/inlining.hpp"

namespace {

using lapwing::compiler::LapwingPass;
using lapwing::compiler::Mode;
using lapwing::compiler::Sets;
using lapwing::compiler::SetsPass;

// Sets go in first of all, while each branch and call is where the author wrote it.
void begin(llvm::ModulePassManager& manager, llvm::OptimizationLevel level) {
  const auto& options = lapwing::compiler::options();
  if (options.sets != Sets::off) manager.addPass(SetsPass(options.sets));
  if (options.declared) manager.addPass(lapwing::compiler::DeclaredInline());
  if (level.isOptimizingForSpeed() && options.sinks) {
    manager.addPass(lapwing::compiler::EndAtAborts());
    manager.addPass(lapwing::compiler::InlineHelp(options.interior));
  }
}

void add(llvm::ModulePassManager& manager, llvm::OptimizationLevel level, bool whole_program) {
  auto options = lapwing::compiler::options();
  for (const auto& complaint : options.complaints)
    llvm::errs() << "lapwing: LAPWING_PASS: " << complaint << ".\n";
  if (options.declared) manager.addPass(lapwing::compiler::DeclaredPass());
  // Without optimisation nothing is inlined, and a user steps through calls.
  if (level == llvm::OptimizationLevel::O0 || options.before_link || !options.sinks) return;
  options.whole_program = options.at_link = whole_program;
  manager.addPass(LapwingPass(options));
}

bool parse(llvm::StringRef name, llvm::ModulePassManager& manager,
           llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
  auto options = lapwing::compiler::options();
  if (!name.consume_front("lapwing")) return false;
  if (name.consume_front("-sets<")) {
    if (!name.consume_back(">") || !lapwing::compiler::parse_sets(name, &options.sets)) return false;
    manager.addPass(SetsPass(options.sets));
    return true;
  }
  if (name == "-declared") {
    manager.addPass(lapwing::compiler::DeclaredPass());
    return true;
  }
  options.whole_program = name.consume_front("-whole");
  if (!name.empty()) {
    if (!name.consume_front("<") || !name.consume_back(">")) return false;
    if (!lapwing::compiler::parse_mode(name, &options.mode)) return false;
  }
  manager.addPass(lapwing::compiler::EndAtAborts());
  manager.addPass(LapwingPass(options));
  return true;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {
      LLVM_PLUGIN_API_VERSION, "lapwing", LAPWING_VERSION, [](llvm::PassBuilder& builder) {
        builder.registerPipelineParsingCallback(parse);
        builder.registerPipelineStartEPCallback(begin);
        builder.registerOptimizerEarlyEPCallback(
            [](auto& manager, auto level) { add(manager, level, false); });
        builder.registerFullLinkTimeOptimizationEarlyEPCallback([&builder](auto& manager, auto level) {
          if (lapwing::compiler::options().sinks) manager.addPass(lapwing::compiler::EndAtAborts());
          // A loop and the waits before it are often written in functions of two files.
          if (lapwing::compiler::options().interior) manager.addPass(lapwing::compiler::InlineHelp(true));
          if (level != llvm::OptimizationLevel::O0)
            manager.addPass(builder.buildModuleSimplificationPipeline(level, llvm::ThinOrFullLTOPhase::None));
          add(manager, level, true);
        });
      }};
}
