// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/bring_together.hpp"

#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "compiler/interior/nest.hpp"
#include "compiler/interior/way.hpp"
#include "compiler/waits/candidates.hpp"

namespace lapwing::compiler {
namespace {

// In instructions. A function that exchanges is often called from everywhere, and its callers from everywhere
// again.
constexpr unsigned largest_inlined = 600;
constexpr unsigned most_added = 4000;          // to one function
constexpr unsigned most_added_to_all = 20000;  // to a module, or a twentieth of it
constexpr int deepest = 8;                     // calls within calls

class Together {
 public:
  Together(llvm::Module& module, llvm::FunctionAnalysisManager& manager, EffectsOf& effects)
      : manager_(manager),
        effects_(effects),
        left_(std::max(most_added_to_all, module.getInstructionCount() / 20)) {}

  void run(llvm::Function& function) {
    llvm::SmallVector<llvm::Instruction*, 8> exchanges;
    for (llvm::Instruction& i : llvm::instructions(function))
      if (exchanges_at(i)) exchanges.push_back(&i);
    for (llvm::Instruction* exchange : exchanges) {
      llvm::SmallVector<llvm::CallBase*, 4> loops;
      const bool any = find_loops(*exchange, loops);
      if (!any) continue;
      if (MpiCall::of(*exchange) || inline_at(llvm::cast<llvm::CallBase>(*exchange)))
        for (llvm::CallBase* call : loops) inline_at(*call);
    }
  }

 private:
  static bool communicates(const MpiCall& call) {
    const Kind kind = call.kind();
    return is_candidate(call) || kind == Kind::isend || kind == Kind::issend || kind == Kind::irecv;
  }

  static llvm::Function* callee_of(const llvm::Instruction& i) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    return callee && !callee->isDeclaration() ? callee : nullptr;
  }

  bool exchanges_at(const llvm::Instruction& i) {
    if (const auto call = MpiCall::of(i)) return communicates(*call);
    const llvm::Function* callee = callee_of(i);
    return callee && exchanges(*callee);
  }

  // Itself or by what it calls. One that calls itself cannot be inlined.
  bool exchanges(const llvm::Function& function) {
    const auto [known, is_new] = exchanges_.try_emplace(&function, false);
    if (!is_new) return known->second;
    const bool any =
        llvm::any_of(llvm::instructions(function), [&](const auto& i) { return exchanges_at(i); });
    return exchanges_[&function] = any;
  }

  // All that is seen without analyses: what is inlined for nothing costs time and size.
  bool can_be_divided(const llvm::Loop& loop) {
    // Before LLVM has turned a loop round it is left at its header.
    const llvm::BasicBlock* left = loop.getExitingBlock();
    if (!left || (left != loop.getLoopLatch() && left != loop.getHeader())) return false;
    bool writes = false;
    for (const llvm::BasicBlock* block : loop.blocks()) {
      for (const llvm::Instruction& i : *block) {
        if (llvm::isa<llvm::CallBase>(i) && effects_(i).seen != 0) return false;
        const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
        if (store && writes_the_same(*store, loop)) return false;
        writes |= store != nullptr;
      }
    }
    return writes && computes(loop);
  }

  // Whether it writes in each round where it did in the round before, for all that is seen of where that is.
  static bool writes_the_same(const llvm::StoreInst& store, const llvm::Loop& loop) {
    const llvm::Value* where = store.getPointerOperand();
    // LLVM may still make a value of it.
    if (llvm::isa<llvm::AllocaInst>(where->stripInBoundsConstantOffsets())) return false;
    llvm::SmallPtrSet<const llvm::Value*, 16> seen;
    llvm::SmallVector<const llvm::Value*, 16> work{where};
    while (!work.empty()) {
      const auto* i = llvm::dyn_cast<llvm::Instruction>(work.pop_back_val());
      if (!i || !loop.contains(i) || !seen.insert(i).second) continue;
      if (i->mayReadFromMemory() || (llvm::isa<llvm::PHINode>(i) && i->getParent() == loop.getHeader()))
        return false;
      work.append(i->value_op_begin(), i->value_op_end());
    }
    return true;
  }

  bool has_loop(llvm::Function& function) {
    const auto [known, is_new] = has_loop_.try_emplace(&function, false);
    if (!is_new) return known->second;
    const auto& loops = manager_.getResult<llvm::LoopAnalysis>(function);
    const bool any = llvm::any_of(loops, [&](const llvm::Loop* loop) { return can_be_divided(*loop); });
    return has_loop_[&function] = any;
  }

  // Behind a call, before anything that rounds may not pass, and not in another round of a loop around it.
  bool find_loops(llvm::Instruction& from, llvm::SmallVectorImpl<llvm::CallBase*>& calls) {
    llvm::Function& function = *from.getFunction();
    const auto& loops = manager_.getResult<llvm::LoopAnalysis>(function);
    const auto& dominators = manager_.getResult<llvm::DominatorTreeAnalysis>(function);
    llvm::BasicBlock* begin = from.getParent();
    llvm::SmallPtrSet<llvm::BasicBlock*, 16> seen;
    llvm::SmallVector<llvm::BasicBlock*, 16> work;
    bool any = false;
    const auto scan = [&](llvm::BasicBlock& block, llvm::BasicBlock::iterator i) {
      for (; i != block.end(); ++i) {
        if (llvm::Function* callee = callee_of(*i); callee && !exchanges(*callee) && has_loop(*callee)) {
          calls.push_back(llvm::cast<llvm::CallBase>(&*i));
          any = true;
        }
        if (effects_(*i).seen & ~(may_be_passed | completes)) return;
      }
      work.append(llvm::succ_begin(&block), llvm::succ_end(&block));
    };
    scan(*begin, std::next(from.getIterator()));
    if (from.isTerminator()) work.append(llvm::succ_begin(begin), llvm::succ_end(begin));
    while (!work.empty()) {
      llvm::BasicBlock* block = work.pop_back_val();
      if (dominators.dominates(block, begin) || !seen.insert(block).second) continue;
      const llvm::Loop* loop = loops.getLoopFor(block);
      any |= loop && loop->getHeader() == block && can_be_divided(*loop);
      scan(*block, block->begin());
    }
    return any;
  }

  bool can_be_inlined(llvm::CallBase& call, llvm::Function& callee) {
    llvm::Function& caller = *call.getFunction();
    return !callee.isInterposable() && !callee.hasFnAttribute(llvm::Attribute::NoInline) &&
           !callee.hasOptNone() && !callee.hasOptSize() && !caller.hasOptSize() && !call.isNoInline() &&
           !callee.isPresplitCoroutine() && callee.getInstructionCount() <= largest_inlined &&
           llvm::AttributeFuncs::areInlineCompatible(caller, callee) &&
           manager_.getResult<llvm::TargetIRAnalysis>(caller).areInlineCompatible(&caller, &callee);
  }

  // The call, and before it the calls in its callee that communicate. Whether all of them will be inlined.
  bool inline_at(llvm::CallBase& call, int depth = 0) {
    llvm::Function* callee = callee_of(call);
    if (!callee || call.hasFnAttr(llvm::Attribute::AlwaysInline)) return true;
    if (depth == deepest || !can_be_inlined(call, *callee) || !fits(call, *callee)) return false;
    bool all = true;
    for (llvm::Instruction& i : llvm::instructions(*callee))
      if (all && exchanges_at(i)) all = inline_at(llvm::cast<llvm::CallBase>(i), depth + 1);
    if (!fits(call, *callee)) return false;
    call.addFnAttr(llvm::Attribute::AlwaysInline);
    const unsigned size = size_of(*callee);
    added_[call.getFunction()] += size;
    left_ -= size;
    return all;
  }

  // With all that is inlined into it.
  unsigned size_of(const llvm::Function& function) const {
    return function.getInstructionCount() + added_.lookup(&function);
  }

  bool fits(const llvm::CallBase& call, const llvm::Function& callee) const {
    const unsigned size = size_of(callee);
    return added_.lookup(call.getFunction()) + size <= most_added && size <= left_;
  }

  llvm::FunctionAnalysisManager& manager_;
  EffectsOf& effects_;
  llvm::DenseMap<const llvm::Function*, bool> exchanges_, has_loop_;
  llvm::DenseMap<const llvm::Function*, unsigned> added_;
  unsigned left_;
};

}  // namespace

void bring_together(llvm::Module& module, llvm::FunctionAnalysisManager& manager, EffectsOf& effects) {
  Together together(module, manager, effects);
  // Callees first: how much a call adds depends on what has been inlined there, and the innermost exchange is
  // the one that runs most often.
  llvm::CallGraph graph(module);
  for (auto scc = llvm::scc_begin(&graph); !scc.isAtEnd(); ++scc)
    for (const llvm::CallGraphNode* node : *scc)
      if (llvm::Function* function = node->getFunction())
        if (!function->isDeclaration() && !function->hasOptNone()) together.run(*function);
}

}  // namespace lapwing::compiler
