// SPDX-License-Identifier: Apache-2.0
#include "compiler/declared/pending_flow.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <algorithm>

namespace lapwing::compiler {

using llvm::BasicBlock;
using llvm::Instruction;

void DeclaredFlow::find_needs() {
  for (Instruction& instruction : llvm::instructions(function_)) {
    if (!instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::CallBase>(instruction)) continue;
    Needs needs;
    for (std::size_t b = 0; b < buffers_.size(); ++b) {
      for (const Meet& meet : touch_(instruction, buffers_[b].buffer)) {
        DeclaredWait need;
        need.before = &instruction;
        need.culprit = &instruction;
        need.define = llvm::isModSet(meet.info);
        need.buffers = {b};
        if (meet.extent) {
          need.pointer = meet.extent->pointer;
          need.bytes = meet.extent->bytes;
        }
        // One wait is for all buffers that a touch may concern.
        const auto same = std::find_if(needs.begin(), needs.end(), [&](const DeclaredWait& other) {
          return other.pointer == need.pointer && other.bytes == need.bytes && other.define == need.define &&
                 (need.pointer || other.buffers.front() == b);
        });
        if (same == needs.end()) {
          needs.push_back(std::move(need));
        } else if (same->buffers.back() != b) {
          same->buffers.push_back(b);
        }
      }
    }
    if (!needs.empty()) needs_[&instruction] = std::move(needs);
  }
}

// Whether what is touched and what was declared are surely of one object.
bool DeclaredFlow::leads_to_buffer(const DeclaredWait& need) const {
  const llvm::Value* object = llvm::getUnderlyingObject(need.pointer);
  return std::any_of(need.buffers.begin(), need.buffers.end(),
                     [&](std::size_t b) { return llvm::getUnderlyingObject(buffers_[b].buffer) == object; });
}

// The number of the last round in which control comes to a block.
const llvm::SCEV* DeclaredFlow::rounds_of(const llvm::Loop& loop, const BasicBlock& block) const {
  const llvm::SCEV* rounds = evolution_.getBackedgeTakenCount(&loop);
  const BasicBlock* exit = loop.getExitingBlock();
  if (llvm::isa<llvm::SCEVCouldNotCompute>(rounds) || !exit || !dominators_.properlyDominates(exit, &block))
    return rounds;
  // The last one leaves before it.
  const llvm::SCEV* one = evolution_.getOne(rounds->getType());
  return evolution_.getMinusSCEV(evolution_.getUMaxExpr(rounds, one), one);
}

// All memory that a touch in the loop goes through, round by round.
bool DeclaredFlow::lift(DeclaredWait& need, llvm::Loop& loop, const Instruction& before) const {
  if (!need.names_memory()) return true;
  auto* address = const_cast<llvm::Value*>(need.pointer);
  const llvm::SCEV *from = evolution_.getSCEV(address), *to = from;
  for (llvm::Loop* round = loops_.getLoopFor(need.culprit->getParent()); round;
       round = round->getParentLoop()) {
    const auto ends = [&](const llvm::SCEV* at, const llvm::SCEV** low, const llvm::SCEV** high) {
      *low = *high = at;
      if (evolution_.isLoopInvariant(at, round)) return true;
      const auto* moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(at);
      const llvm::SCEV* rounds = rounds_of(*round, *need.culprit->getParent());
      if (!moving || moving->getLoop() != round || !moving->isAffine() ||
          llvm::isa<llvm::SCEVCouldNotCompute>(rounds))
        return false;
      const llvm::SCEV *first = moving->getStart(), *last = moving->evaluateAtIteration(rounds, evolution_);
      const llvm::SCEV* step = moving->getStepRecurrence(evolution_);
      const bool up = evolution_.isKnownNonNegative(step), down = evolution_.isKnownNonPositive(step);
      *low = up ? first : down ? last : evolution_.getUMinExpr(first, last);
      *high = up ? last : down ? first : evolution_.getUMaxExpr(first, last);
      return true;
    };
    const llvm::SCEV *low, *high, *unused;
    if (!ends(from, &low, &unused) || !ends(to, &unused, &high)) return false;
    from = low;
    to = high;
    if (round == &loop) break;
  }
  const llvm::SCEV* distance = evolution_.getMinusSCEV(to, from);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(distance)) return false;
  const llvm::SCEV* bytes =
      evolution_.getAddExpr(distance, evolution_.getConstant(distance->getType(), need.bytes));
  llvm::SCEVExpander expander(evolution_, function_.getParent()->getDataLayout(), "lapwing");
  if (!expander.isSafeToExpandAt(from, &before) || !expander.isSafeToExpandAt(bytes, &before)) return false;
  need.pointer = nullptr;
  need.from = from;
  need.length = bytes;
  return true;
}

// A loop that only computes waits once, before it: in each round even the question
// whether anything is pending would cost more than the work.
void DeclaredFlow::lift(llvm::Loop& loop, Instruction& before) {
  Needs lifted;
  for (BasicBlock* block : loop.blocks()) {
    for (Instruction& i : *block) {
      const auto found = needs_.find(&i);
      if (found == needs_.end()) continue;
      Needs left;
      for (DeclaredWait need : found->second) {
        if (!lift(need, loop, before)) {
          // An index that is read: all of the buffer, or each element by itself.
          if (!leads_to_buffer(need)) {
            left.push_back(std::move(need));
            continue;
          }
          need.pointer = nullptr;
        }
        need.before = &before;
        const auto same = std::find_if(lifted.begin(), lifted.end(), [&](const DeclaredWait& other) {
          return other.from == need.from && other.length == need.length && other.define == need.define &&
                 other.buffers == need.buffers;
        });
        if (same == lifted.end()) lifted.push_back(std::move(need));
      }
      found->second = std::move(left);
    }
  }
  Needs& there = needs_[&before];
  there.insert(there.end(), lifted.begin(), lifted.end());
}

void DeclaredFlow::lift_out_of_loops() {
  llvm::SmallVector<llvm::Loop*, 16> work(loops_.begin(), loops_.end());
  while (!work.empty()) {
    llvm::Loop* loop = work.pop_back_val();
    BasicBlock* before = loop->getLoopPreheader();
    bool computes = before != nullptr;
    for (BasicBlock* block : loop->blocks())
      for (Instruction& i : *block) computes = computes && touch_.only_computes(i);
    if (computes) {
      lift(*loop, *before->getTerminator());
    } else {
      work.append(loop->begin(), loop->end());
    }
  }
}

void DeclaredFlow::step(Instruction& instruction, State& state, Needs* waits) const {
  if (const auto found = needs_.find(&instruction); found != needs_.end()) {
    for (const DeclaredWait& need : found->second) {
      const bool pending = std::any_of(need.buffers.begin(), need.buffers.end(), [&](std::size_t b) {
        return need.define ? state[b] != 0 : (state[b] & writes_later) != 0;
      });
      if (!pending) continue;
      if (waits) waits->push_back(need);
      if (need.names_memory()) continue;
      for (const std::size_t b : need.buffers) state[b] = need.define ? 0 : state[b] & ~writes_later;
    }
  }
  // No other function waits for the declarations of this one.
  if (llvm::isa<llvm::ReturnInst>(instruction) || llvm::isa<llvm::ResumeInst>(instruction) ||
      touch_.may_leave(instruction)) {
    for (std::size_t b = 0; b < state.size(); ++b) {
      if (state[b] == 0) continue;
      if (waits) {
        DeclaredWait& end = waits->emplace_back();
        end.before = &instruction;
        end.culprit = &instruction;
        end.define = true;
        end.buffers = {b};
      }
      state[b] = 0;
    }
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call) return;
  if (declared_call(*call) == DeclaredCall::completes) state.assign(state.size(), 0);
  for (std::size_t b = 0; b < state.size(); ++b)
    if (buffers_[b].call == call) state[b] = static_cast<unsigned char>(state[b] | buffers_[b].later);
}

std::vector<DeclaredWait> DeclaredFlow::waits() {
  find_needs();
  lift_out_of_loops();
  llvm::DenseMap<BasicBlock*, State> in;
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
  for (BasicBlock* block : order) in[block] = State(buffers_.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock* block : order) {
      State out = in[block];
      for (Instruction& instruction : *block) step(instruction, out, nullptr);
      for (BasicBlock* next : llvm::successors(block)) {
        State& known = in[next];
        for (std::size_t b = 0; b < out.size(); ++b) {
          const auto joined = static_cast<unsigned char>(known[b] | out[b]);
          changed |= joined != known[b];
          known[b] = joined;
        }
      }
    }
  }
  Needs found;
  for (BasicBlock* block : order) {
    State state = in[block];
    for (Instruction& instruction : *block) step(instruction, state, &found);
  }
  return found;
}

}  // namespace lapwing::compiler
