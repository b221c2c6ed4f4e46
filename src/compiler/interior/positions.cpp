// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/positions.hpp"

#include <llvm/ADT/PostOrderIterator.h>

#include "compiler/mpi/calls.hpp"
#include "compiler/waits/region.hpp"

namespace lapwing::compiler {

using llvm::BasicBlock;
using llvm::Instruction;

namespace {

// From a loop up.
class Climber {
 public:
  Climber(llvm::Loop& loop, Analyses analyses, const llvm::SmallPtrSetImpl<BasicBlock*>& resumed)
      : a_(analyses), home_(loop.getParentLoop()), resumed_(resumed) {
    for (BasicBlock* block : llvm::ReversePostOrderTraversal(loop.getHeader()->getParent()))
      order_[block] = static_cast<unsigned>(order_.size());
    block_ = loop.getLoopPreheader();
  }

  llvm::SmallVector<Position, 4> run() {
    while (block_ && scan(*block_) && climb()) {
    }
    std::reverse(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  enum class Seen { nothing, start, completion, blocking, end };

  Seen look(Instruction& i) {
    const Effects effects = a_.effects(i);
    if ((i.isTerminator() && !llvm::isa<llvm::CallBase>(i)) || gives_back(i)) return Seen::nothing;
    const auto call = MpiCall::of(i);
    if (!call) return effects.seen & ~may_be_passed ? Seen::end : Seen::nothing;
    switch (call->kind()) {
      case Kind::isend:
      case Kind::issend:
      case Kind::irecv:
        return Seen::start;
      case Kind::wait:
      case Kind::waitall:
      case Kind::wait_some:
      case Kind::test:
        return Seen::completion;
      case Kind::send:
      case Kind::ssend:
      case Kind::recv:
      case Kind::sendrecv:
      case Kind::sendrecv_replace:
        return Seen::blocking;
      default:
        return effects.seen & ~may_be_passed ? Seen::end : Seen::nothing;
    }
  }

  bool scan(BasicBlock& block) {
    for (Instruction& i : llvm::reverse(block)) {
      const Seen seen = look(i);
      if (seen == Seen::end) return false;
      if (seen == Seen::start) {
        completions_.clear();
        delays_ = true;
      }
      if (seen == Seen::completion) {
        completions_.push_back(llvm::cast<llvm::CallBase>(&i));
        note(&i);
      }
      if (seen == Seen::blocking) {
        auto& call = llvm::cast<llvm::CallBase>(i);
        if (Instruction* next = after(call)) note(next, &call);
        return false;
      }
    }
    if (!resumed_.contains(&block)) return true;
    completions_.clear();
    note(&*block.getFirstInsertionPt());
    return false;
  }

  // To the block that every way to this one leads through.
  bool climb() {
    BasicBlock* below = block_;
    do {
      const auto* node = a_.dominators.getNode(block_);
      block_ = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
      if (!block_ || (home_ && !home_->contains(block_))) return false;
    } while (a_.loops.getLoopFor(block_) != home_);
    llvm::SmallPtrSet<BasicBlock*, 16> seen{block_};
    llvm::SmallVector<BasicBlock*, 16> between, work(llvm::predecessors(below));
    if (home_ && below == home_->getHeader()) return false;
    while (!work.empty()) {
      BasicBlock* block = work.pop_back_val();
      if (!seen.insert(block).second) continue;
      between.push_back(block);
      work.append(llvm::pred_begin(block), llvm::pred_end(block));
    }
    llvm::sort(between, [&](BasicBlock* a, BasicBlock* b) { return order_[a] > order_[b]; });
    bool ends = false, starts = false;
    llvm::SmallVector<llvm::CallBase*, 4> met;
    for (BasicBlock* block : between) {
      for (Instruction& i : llvm::reverse(*block)) {
        const Seen what = look(i);
        ends |= what == Seen::end || what == Seen::blocking;
        starts |= what == Seen::start;
        if (what == Seen::completion) met.push_back(llvm::cast<llvm::CallBase>(&i));
      }
    }
    if (ends || starts) {
      climb_one_way(*below, between);
      completions_.clear();
      delays_ |= starts;
    } else if (!met.empty()) {
      completions_.append(met);
      note(block_->getTerminator());
    }
    return !ends;
  }

  // Of several ways to `below` one may end with waits, behind what the rounds may not pass.
  void climb_one_way(BasicBlock& below, llvm::ArrayRef<BasicBlock*> between) {
    const std::size_t known = completions_.size();
    const auto jumps = [](BasicBlock* before) {
      return !llvm::isa<llvm::BranchInst>(before->getTerminator()) &&
             !llvm::isa<llvm::SwitchInst>(before->getTerminator());
    };
    if (below.isEHPad() || llvm::any_of(llvm::predecessors(&below), jumps)) return;
    for (BasicBlock* block : llvm::predecessors(&below)) {
      std::optional<Position> highest;
      for (bool ends = false; !ends && llvm::is_contained(between, block);) {
        completions_.truncate(known);
        Instruction* at = nullptr;
        for (BasicBlock* part : between) {
          if (ends || !a_.dominators.dominates(block, part)) continue;
          at = nullptr;
          for (auto i = part->rbegin(); !ends && i != part->rend(); ++i) {
            const Seen seen = look(*i);
            ends = seen != Seen::nothing && seen != Seen::completion;
            if (seen == Seen::completion) completions_.push_back(llvm::cast<llvm::CallBase>(&*i));
            if (!ends) at = &*i;
          }
          if (ends && part != block) at = nullptr;
        }
        if (at && llvm::isa<llvm::PHINode>(at)) at = &*block->getFirstInsertionPt();
        if (at && a_.loops.getLoopFor(block) == home_ && completions_.size() > known)
          highest = position(at, nullptr, &below);
        const auto* node = a_.dominators.getNode(block);
        block = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
      }
      if (highest) found_.push_back(*highest);
    }
    completions_.truncate(known);
  }

  Position position(Instruction* at, llvm::CallBase* call, BasicBlock* below) const {
    return {at, {completions_.rbegin(), completions_.rend()}, call, below, delays_};
  }

  void note(Instruction* at, llvm::CallBase* call = nullptr) {
    found_.push_back(position(at, call, nullptr));
  }

  Analyses a_;
  const llvm::Loop* home_;
  const llvm::SmallPtrSetImpl<BasicBlock*>& resumed_;
  BasicBlock* block_;
  llvm::DenseMap<const BasicBlock*, unsigned> order_;
  llvm::SmallVector<llvm::CallBase*, 8> completions_;  // the last first
  bool delays_ = false;                                // a start stands below
  llvm::SmallVector<Position, 4> found_;
};

}  // namespace

llvm::SmallVector<Position, 4> positions_above(llvm::Loop& loop, Analyses analyses,
                                               const llvm::SmallPtrSetImpl<llvm::BasicBlock*>& resumed) {
  return Climber(loop, analyses, resumed).run();
}

}  // namespace lapwing::compiler
