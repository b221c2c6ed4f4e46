// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/interior.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "compiler/effects/library_calls.hpp"
#include "compiler/interior/ask.hpp"
#include "compiler/interior/counters.hpp"
#include "compiler/interior/divide_loop.hpp"
#include "compiler/interior/marks.hpp"
#include "compiler/llvm_versions.hpp"
#include "compiler/waits/candidates.hpp"
#include "compiler/waits/region.hpp"
#include "compiler/waits/unfinished_sends.hpp"

namespace lapwing::compiler {
namespace {

constexpr unsigned most_divided = 16;  // of a function

class NestDivider {
 public:
  NestDivider(llvm::Function& function, llvm::FunctionAnalysisManager& manager, EffectsOf& effects,
              const Options& options, const Profile& profile, Remarks& remarks)
      : function_(function),
        manager_(manager),
        effects_(effects),
        options_(options),
        profile_(profile),
        remarks_(remarks) {}

  bool run() {
    bool any = false;
    for (llvm::Instruction& i : llvm::instructions(function_)) {
      const auto call = MpiCall::of(i);
      any |= call && is_candidate(*call);
    }
    // The placing of waits says why it leaves such a function alone.
    if (!any || may_be_jumped_into(function_) ||
        effects_.module_properties(*function_.getParent()).runs_operations)
      return false;
    bool changed = !llvm::LoopSimplifyPass().run(function_, manager_).areAllPreserved();
    if (changed) manager_.invalidate(function_, llvm::PreservedAnalyses::none());
    if (merge_counters(manager_.getResult<llvm::LoopAnalysis>(function_))) {
      manager_.invalidate(function_, llvm::PreservedAnalyses::none());
      changed = true;
    }
    for (unsigned n = 0; n < most_divided && divide_one(); ++n) changed = true;
    return changed;
  }

 private:
  using Stopped = llvm::MapVector<llvm::Loop*, llvm::SmallVector<WaitedCall, 4>>;

  // Each division changes what the analyses say.
  bool divide_one() {
    for (auto& [loop, calls] : loops_that_stop()) {
      if (!seen_.insert(loop->getHeader()).second) continue;
      if (divide(*loop, calls)) return true;
    }
    return false;
  }

  Stopped loops_that_stop() {
    Stopped found;
    Memory memory(manager_.getResult<llvm::AAManager>(function_));
    auto& dominators = manager_.getResult<llvm::DominatorTreeAnalysis>(function_);
    auto& loops = manager_.getResult<llvm::LoopAnalysis>(function_);
    const Instructions unfinished = find_writes_of_unfinished(function_, memory, effects_, dominators);
    for (llvm::Instruction& i : llvm::instructions(function_)) {
      const auto call = MpiCall::of(i);
      if (!call || !is_candidate(*call) || !profile_.waits_at(i) || unfinished.contains(&i)) continue;
      Found transfers = find_transfers(*call, memory, effects_, unfinished);
      if (!transfers.failure.empty()) continue;
      for (Transfer& transfer : transfers.transfers) {
        for (llvm::Loop* loop : stopped_by(transfer, memory, loops)) {
          auto& calls = found[loop];
          if (llvm::none_of(calls, [&](const WaitedCall& c) { return c.call == &call->call(); }))
            calls.push_back({&call->call(), transfer.starts, transfer.buffers.size()});
        }
      }
    }
    return found;
  }

  // The outermost loops, beside the call's own, in which something stops the wait.
  llvm::SmallVector<llvm::Loop*, 2> stopped_by(const Transfer& transfer, Memory& memory,
                                               const llvm::LoopInfo& loops) {
    llvm::SmallVector<llvm::Loop*, 2> found;
    const bool may_match = transfer.shape == Shape::receive && may_be_matched(*transfer.call);
    const Transfer asked = may_match ? as_matched(transfer, effects_) : transfer;
    llvm::Instruction* from = after(*transfer.call);
    if (!from) return found;
    Web web(asked, memory, effects_);
    for (const Stop& stop : explore({from, from->getParent(), {}, nullptr}, web, loops).stops) {
      llvm::Loop* loop = loops.getLoopFor(stop.culprit->getParent());
      llvm::Loop* home = loops.getLoopFor(transfer.call->getParent());
      while (loop && loop->getParentLoop() != home) loop = loop->getParentLoop();
      if (loop && !llvm::is_contained(found, loop)) found.push_back(loop);
    }
    return found;
  }

  bool divide(llvm::Loop& loop, llvm::ArrayRef<WaitedCall> calls) {
    auto& scev = manager_.getResult<llvm::ScalarEvolutionAnalysis>(function_);
    const auto& dominators = manager_.getResult<llvm::DominatorTreeAnalysis>(function_);
    const NestFound found = describe_nest(loop, scev);
    if (!found.nest) return miss(loop, calls, found.failure, found.where);
    llvm::SCEVExpander expander(scev, layout_of(function_), "lapwing");
    Question question(*found.nest, scev, expander, dominators);
    llvm::SmallVector<llvm::CallBase*, 4> waited;
    std::string failure = "it is not known where it begins";
    for (const WaitedCall& call : calls)
      if (question.add(call, failure)) waited.push_back(call.call);
    if (!can_be_divided(*found.nest, scev, expander) || !question.can_be_asked() || waited.empty())
      return miss(loop, calls, failure, nullptr);
    remarks_.divided(loop, waited);
    if (!options_.changes()) return false;
    const Question::Answer answer = question.ask();
    const DividedLoop made =
        divide_loop(*found.nest, answer.begin, answer.end, answer.rounds, scev, expander);
    mark_clear(made.interior, waited);
    seen_.insert(made.headers.begin(), made.headers.end());
    manager_.invalidate(function_, llvm::PreservedAnalyses::none());
    return true;
  }

  bool miss(const llvm::Loop& loop, llvm::ArrayRef<WaitedCall> calls, const std::string& why,
            const llvm::Instruction* where) {
    remarks_.not_divided(loop, *calls.front().call, why, where);
    return false;
  }

  llvm::Function& function_;
  llvm::FunctionAnalysisManager& manager_;
  EffectsOf& effects_;
  const Options& options_;
  const Profile& profile_;
  Remarks& remarks_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> seen_;  // headers
};

}  // namespace

bool divide_nests(llvm::Function& function, llvm::FunctionAnalysisManager& manager, EffectsOf& effects,
                  const Options& options, const Profile& profile, Remarks& remarks) {
  if (!options.interior || options.mode == Mode::conservative) return false;
  return NestDivider(function, manager, effects, options, profile, remarks).run();
}

}  // namespace lapwing::compiler
