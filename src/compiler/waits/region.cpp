// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/region.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/effects/library_calls.hpp"
#include "compiler/effects/parallel_regions.hpp"
#include "compiler/waits/versioned_calls.hpp"

namespace lapwing::compiler {
namespace {

constexpr unsigned worth_of_query = 5;

unsigned worth_of(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction) || llvm::isa<llvm::PHINode>(instruction)) return 0;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || llvm::isa<llvm::IntrinsicInst>(call)) return 1;
  if (const auto mpi = MpiCall::of(*call)) {
    // In other modes the same code has no such calls.
    if (mpi->routine().name.starts_with("lapwing_verify")) return 0;
    switch (mpi->kind()) {
      case Kind::query:
      case Kind::poll:
      case Kind::isend:
      case Kind::irecv:
        return worth_of_query;
      default:
        return worth_of_call;
    }
  }
  if (reads_clock(*call)) return worth_of_query;
  return stays_in_team(*call) ? 0 : worth_of_call;
}

class Explorer {
 public:
  Explorer(const Walk& walk, Web& web, const llvm::LoopInfo& loops) : walk_(walk), web_(web), loops_(loops) {}

  Region run() {
    scan(walk_.from);
    while (!work_.empty()) scan(&work_.pop_back_val()->front());
    return std::move(region_);
  }

 private:
  void scan(llvm::Instruction* first) {
    for (llvm::Instruction* i = first; i; i = i->getNextNode()) {
      if (walk_.walls.contains(i)) return;
      if (const auto& reason = web_.stops(*i)) {
        stop(before_fork(*i), i, *reason);
        return;
      }
      region_.worth += worth_of(*i);
      if (i->isTerminator()) leave(i);
    }
  }

  void leave(llvm::Instruction* terminator) {
    for (unsigned n = 0; n < terminator->getNumSuccessors(); ++n) {
      llvm::BasicBlock* next = terminator->getSuccessor(n);
      if (web_.never_goes(*terminator, *next)) continue;
      if (walk_.within && (!walk_.within->contains(next) || next == walk_.within->getHeader())) continue;
      if (const llvm::Loop* loop = entered_loop(next)) {
        if (llvm::Instruction* culprit = first_stop(*loop)) {
          stop(terminator, culprit, *web_.stops(*culprit));
          return;  // the wait stands before all ways on
        }
        region_.worth += worth_of_loop;
      }
      if (region_.entered.insert(next)) work_.push_back(next);
    }
  }

  // The outermost loop around `block` that the wait is not in.
  const llvm::Loop* entered_loop(const llvm::BasicBlock* block) const {
    const llvm::Loop* found = nullptr;
    for (const llvm::Loop* loop = loops_.getLoopFor(block); loop; loop = loop->getParentLoop()) {
      if (loop->contains(walk_.home)) break;
      found = loop;
    }
    return found && found->getHeader() == block ? found : nullptr;
  }

  llvm::Instruction* first_stop(const llvm::Loop& loop) {
    for (llvm::BasicBlock* block : loop.blocks()) {
      if (is_after_failure(*block)) continue;  // not in every round
      for (llvm::Instruction& i : *block)
        if (web_.stops(i)) return &i;
    }
    return nullptr;
  }

  void stop(llvm::Instruction* at, llvm::Instruction* culprit, const Reason& reason) {
    for (const Stop& known : region_.stops)
      if (known.at == at) return;
    region_.stops.push_back({at, culprit, reason});
  }

  const Walk& walk_;
  Web& web_;
  const llvm::LoopInfo& loops_;
  Region region_;
  llvm::SmallVector<llvm::BasicBlock*, 16> work_;
};

}  // namespace

Region explore(const Walk& walk, Web& web, const llvm::LoopInfo& loops) {
  return Explorer(walk, web, loops).run();
}

static bool is_of_mpi(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && MpiCall::of(*call);
}

// The pass may run twice.
static bool has_progress(llvm::CallBase& start) {
  const auto* next = llvm::dyn_cast_or_null<llvm::CallBase>(after(start));
  const llvm::Function* callee = next ? next->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with("lapwing_defer");
}

// Whether any of these blocks lies in a loop that holds neither end of the way.
static bool any_in_loop_between(const llvm::SmallPtrSetImpl<llvm::BasicBlock*>& blocks, llvm::CallBase& start,
                                const llvm::CallBase& wait) {
  const llvm::DominatorTree dominators(*start.getFunction());
  const llvm::LoopInfo loops(dominators);
  return llvm::any_of(blocks, [&](const llvm::BasicBlock* block) {
    const llvm::Loop* loop = loops.getLoopFor(block);
    return loop && !loop->contains(&start) && !loop->contains(&wait);
  });
}

bool worth_between(const Transfer& transfer) {
  unsigned worth = 0;
  for (llvm::CallBase* start : transfer.starts) {
    if (has_progress(*start) || start->getFunction() != transfer.call->getFunction()) return false;
    llvm::SmallPtrSet<llvm::BasicBlock*, 16> entered;
    llvm::SmallVector<llvm::Instruction*, 8> work{after(*start)};
    bool met = false;  // ways that part and meet again, or a loop
    while (!work.empty() && worth < worth_crossing) {
      for (llvm::Instruction* i = work.pop_back_val(); i && i != transfer.call && i != start;
           i = i->getNextNode()) {
        // A call of MPI's moves by itself what is in flight.
        worth += is_of_mpi(*i) ? worth_of_query : worth_of(*i);
        if (!i->isTerminator()) continue;
        for (llvm::BasicBlock* next : llvm::successors(i->getParent())) {
          // Code that ends the program after an error is no work.
          if (is_after_failure(*next) || llvm::isa<llvm::UnreachableInst>(next->getTerminator())) continue;
          if (entered.insert(next).second) {
            work.push_back(&next->front());
          } else {
            met = true;
          }
        }
      }
    }
    if (met && worth < worth_crossing && any_in_loop_between(entered, *start, *transfer.call))
      worth += worth_of_loop;
  }
  return worth >= worth_crossing;
}

llvm::Instruction* after(llvm::CallBase& call) {
  const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
  if (!invoke) return call.getNextNode();
  llvm::BasicBlock* normal = invoke->getNormalDest();
  return normal->getSinglePredecessor() ? &*normal->getFirstInsertionPt() : nullptr;
}

}  // namespace lapwing::compiler
