// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/request_loops.hpp"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/Operator.h>

#include "compiler/llvm_versions.hpp"
#include "compiler/waits/dependence_web.hpp"
#include "compiler/waits/known_question.hpp"

namespace lapwing::compiler {
namespace {

// A loop that counts from `first` by `step` until its counter, behind the step, is compared with `bound`.
struct Counting {
  const llvm::PHINode* counter = nullptr;
  const llvm::Value *first = nullptr, *step = nullptr, *bound = nullptr;
  llvm::CmpInst::Predicate goes_on = llvm::CmpInst::BAD_ICMP_PREDICATE;
};

constexpr unsigned most_depth = 6;

// An element of an array, and as many bytes behind its begin.
struct Element {
  const llvm::GEPOperator* of = nullptr;
  llvm::APInt behind;
};

Element element_of(const llvm::Value* pointer, const llvm::DataLayout& layout) {
  Element found{nullptr, llvm::APInt(layout.getIndexTypeSizeInBits(pointer->getType()), 0)};
  const llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(layout, found.behind, true);
  found.of = llvm::dyn_cast<llvm::GEPOperator>(base);
  return found;
}

// Two loops, one behind the other, and what changes what a load in them reads.
class Pair {
 public:
  // gate: the program comes to the second loop from there by the first one only; null if it need not be
  // there.
  Pair(const llvm::Loop& first, const llvm::Loop& second, const llvm::BasicBlock* gate, Changes changes)
      : first_(first), second_(second), gate_(gate), changes_(changes) {}

  bool are_equal(const llvm::Value* a, const llvm::Value* b) const { return are_equal(a, b, {}, 0); }
  bool count_alike(const Counting& a, const Counting& b) const {
    return a.counter && b.counter && are_equal(a.first, b.first) && a.step == b.step &&
           are_equal(a.bound, b.bound) && a.goes_on == b.goes_on;
  }
  bool are_alike(const Element& a, const Counting& in_a, const Element& b, const Counting& in_b) const;

 private:
  using Counters = std::pair<const llvm::PHINode*, const llvm::PHINode*>;

  bool are_equal(const llvm::Value* a, const llvm::Value* b, Counters counters, unsigned depth) const;

  // In each round of both loops.
  bool reads_the_same(const llvm::LoadInst& first, const llvm::LoadInst& again) const {
    const auto change = [&](const llvm::Instruction& i) { return changes_(i, first); };
    const auto keeps = [&](const llvm::Loop& loop) {
      return llvm::none_of(loop.blocks(), [&](const auto* block) { return llvm::any_of(*block, change); });
    };
    return first.isSimple() && (!first_.contains(&first) || keeps(first_)) &&
           (!second_.contains(&again) || keeps(second_)) &&
           !any_between(first, again, change, first_.contains(&first) ? gate_ : nullptr);
  }

  const llvm::Loop &first_, &second_;
  const llvm::BasicBlock* gate_;
  Changes changes_;
};

// Computed in the same way from the same values, or from the counters of their loops: LLVM does not merge all
// of these.
bool Pair::are_equal(const llvm::Value* a, const llvm::Value* b, Counters counters, unsigned depth) const {
  if (a == b || (counters.first && a == counters.first && b == counters.second)) return true;
  const auto *x = llvm::dyn_cast<llvm::Instruction>(a), *y = llvm::dyn_cast<llvm::Instruction>(b);
  if (!x || !y || depth == most_depth || llvm::isa<llvm::PHINode>(x) || llvm::isa<llvm::AllocaInst>(x) ||
      llvm::isa<llvm::CallBase>(x) || !x->isSameOperationAs(y))
    return false;
  for (unsigned n = 0; n < x->getNumOperands(); ++n)
    if (!are_equal(x->getOperand(n), y->getOperand(n), counters, depth + 1)) return false;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(x);
  return load ? reads_the_same(*load, *llvm::cast<llvm::LoadInst>(y)) : !x->mayReadOrWriteMemory();
}

// Of a loop that may be left elsewhere before its last round.
Counting counting_of(const llvm::Loop& loop) {
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  if (!latch || !loop.isLoopExiting(latch) || !loop.getLoopPredecessor()) return {};
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
  const auto* compared = branch ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
  if (!compared || !loop.isLoopInvariant(compared->getOperand(1))) return {};
  const auto* next = llvm::dyn_cast<llvm::BinaryOperator>(compared->getOperand(0));
  if (!next || next->getOpcode() != llvm::Instruction::Add || !llvm::isa<llvm::Constant>(next->getOperand(1)))
    return {};
  const auto* counter = llvm::dyn_cast<llvm::PHINode>(next->getOperand(0));
  if (!counter || counter->getParent() != loop.getHeader() ||
      counter->getIncomingValueForBlock(latch) != next)
    return {};
  const bool goes_on_if_true = branch->getSuccessor(0) == loop.getHeader();
  return {counter, counter->getIncomingValueForBlock(loop.getLoopPredecessor()), next->getOperand(1),
          compared->getOperand(1),
          goes_on_if_true ? compared->getPredicate() : compared->getInversePredicate()};
}

// The same in both loops, but for their counters.
bool Pair::are_alike(const Element& a, const Counting& in_a, const Element& b, const Counting& in_b) const {
  if (!a.of || !b.of || a.behind != b.behind ||
      a.of->getSourceElementType() != b.of->getSourceElementType() ||
      a.of->getNumOperands() != b.of->getNumOperands())
    return false;
  bool counts = false;
  for (unsigned n = 0; n < a.of->getNumOperands(); ++n) {
    const llvm::Value *x = a.of->getOperand(n), *y = b.of->getOperand(n);
    const bool is_same = are_equal(x, y);
    if (!is_same && !are_equal(x, y, {in_a.counter, in_b.counter}, 0)) return false;
    counts |= !is_same;
  }
  return counts;
}

// Whether all of its rounds have run wherever the program comes to that place: where it is left early, as for
// an error, the program ends.
bool runs_wholly_before(const llvm::Loop& loop, const llvm::BasicBlock& place,
                        const llvm::DominatorTree& dominators, const llvm::LoopInfo& loops) {
  llvm::SmallPtrSet<llvm::BasicBlock*, 1> again{loop.getHeader()};
  llvm::SmallVector<llvm::Loop::Edge, 4> exits;
  loop.getExitEdges(exits);
  return llvm::all_of(exits, [&](const auto& exit) {
    return exit.first == loop.getLoopLatch() ||
           !llvm::isPotentiallyReachable(exit.second, &place, &again, &dominators, &loops);
  });
}

struct Order {
  bool holds = false;
  const llvm::BasicBlock* gate = nullptr;  // behind which the first loop always runs before the second
};

// Its header, on every way to that of the other one in a round of the loop around both; where a question is
// known there, on every way by which that can be answered so, and has been.
Order order_of(const llvm::Loop& first, const llvm::Loop& second, const llvm::LoopInfo& loops,
               const llvm::DominatorTree& dominators) {
  if (dominators.dominates(first.getHeader(), second.getHeader())) return {true};
  if (const auto asked = AskedBefore::above(*second.getHeader(), dominators);
      asked && loops.getLoopFor(asked->first) == second.getParentLoop()) {
    llvm::SmallPtrSet<llvm::BasicBlock*, 2> passed{first.getHeader(),
                                                   const_cast<llvm::BasicBlock*>(asked->first)};
    const llvm::BasicBlock* next = asked->next.lookup(asked->first);
    if (next == first.getHeader() ||
        !llvm::isPotentiallyReachable(next, second.getHeader(), &passed, &dominators, &loops))
      return {true, asked->first};
  }
  const auto question = KnownQuestion::above(*second.getHeader(), dominators);
  return {question && loops.getLoopFor(question->join) == second.getParentLoop() &&
          llvm::all_of(question->from, [&](const llvm::BasicBlock* before) {
            return dominators.dominates(first.getHeader(), before);
          })};
}

}  // namespace

const llvm::BasicBlock* loop_that_starts_all(const MpiCall& start, const MpiCall& wait,
                                             const llvm::LoopInfo& loops,
                                             const llvm::DominatorTree& dominators, Changes changes) {
  const llvm::Loop* starting = loops.getLoopFor(start.call().getParent());
  const llvm::Loop* waiting = loops.getLoopFor(wait.call().getParent());
  if (!starting || !waiting || starting == waiting || starting->getParentLoop() != waiting->getParentLoop() ||
      !starting->getLoopLatch() ||
      !dominators.dominates(start.call().getParent(), starting->getLoopLatch()) ||
      !runs_wholly_before(*starting, *waiting->getHeader(), dominators, loops))
    return nullptr;
  const Order order = order_of(*starting, *waiting, loops, dominators);
  if (!order.holds) return nullptr;
  const Counting starts = counting_of(*starting), waits = counting_of(*waiting);
  const llvm::DataLayout& layout = layout_of(*start.call().getFunction());
  const auto request = [&](const MpiCall& call) {
    return element_of(call.argument(call.routine().any_request()), layout);
  };
  const Pair pair(*starting, *waiting, order.gate, changes);
  return pair.count_alike(starts, waits) && pair.are_alike(request(start), starts, request(wait), waits)
             ? starting->getHeader()
             : nullptr;
}

}  // namespace lapwing::compiler
