// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/control_flow.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace lapwing::compiler {

using llvm::BasicBlock;

namespace {

// Where control goes unless an exception is thrown.
llvm::SmallVector<BasicBlock*, 2> ways_on(const BasicBlock* block) {
  const llvm::Instruction* last = block->getTerminator();
  if (const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(last)) return {invoke->getNormalDest()};
  llvm::SmallVector<BasicBlock*, 2> found;
  for (unsigned i = 0; i < last->getNumSuccessors(); ++i) found.push_back(last->getSuccessor(i));
  return found;
}

}  // namespace

SetFlow::SetFlow(llvm::Function& function, const std::function<bool(const BasicBlock&)>& ends) {
  std::vector<BasicBlock*> reached;
  llvm::DenseMap<const BasicBlock*, bool> stops;
  {
    llvm::SmallPtrSet<BasicBlock*, 32> seen{&function.getEntryBlock()};
    std::vector<BasicBlock*> work{&function.getEntryBlock()};
    while (!work.empty()) {
      BasicBlock* block = work.back();
      work.pop_back();
      reached.push_back(block);
      stops[block] = ends(*block);
      if (stops[block]) continue;
      for (BasicBlock* next : ways_on(block))
        if (seen.insert(next).second) work.push_back(next);
    }
  }
  // From which control may come to an end of the wanted kind.
  llvm::SmallPtrSet<const BasicBlock*, 32> kept;
  std::vector<const BasicBlock*> work;
  const auto keep = [&](const BasicBlock* block) {
    if (kept.insert(block).second) work.push_back(block);
  };
  for (BasicBlock* block : reached)
    if (!stops[block] && llvm::isa<llvm::ReturnInst>(block->getTerminator())) keep(block);
  returns_ = !kept.empty();
  if (!returns_) {
    for (BasicBlock* block : reached)
      if (stops[block] || llvm::succ_empty(block)) keep(block);
  }
  // A function that only ever loops has no end; its last block stands for one.
  if (kept.empty()) keep(reached.back());
  std::vector<const BasicBlock*> exits(kept.begin(), kept.end());
  while (!work.empty()) {
    const BasicBlock* block = work.back();
    work.pop_back();
    for (const BasicBlock* before : llvm::predecessors(block))
      if (stops.count(before) && !stops[before]) keep(before);
  }
  for (BasicBlock& block : function) {
    if (!kept.contains(&block)) continue;
    number_[&block] = static_cast<unsigned>(blocks_.size());
    blocks_.push_back(&block);
  }
  next_.resize(blocks_.size());
  std::vector<bool> leaves(blocks_.size(), false);
  for (const BasicBlock* block : exits) leaves[number_.lookup(block)] = true;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (stops[blocks_[i]]) continue;
    for (BasicBlock* next : ways_on(blocks_[i]))
      if (kept.contains(next) && !llvm::is_contained(next_[i], next)) next_[i].push_back(next);
  }
  find_closest(leaves);
}

// Cooper, Harvey and Kennedy's dominators, on the graph with its edges reversed.
void SetFlow::find_closest(const std::vector<bool>& leaves) {
  const auto count = static_cast<unsigned>(blocks_.size());
  const unsigned end = count, none = count + 1;
  std::vector<llvm::SmallVector<unsigned, 2>> before(count + 1);
  for (unsigned i = 0; i < count; ++i) {
    for (BasicBlock* next : next_[i]) before[number_.lookup(next)].push_back(i);
    if (leaves[i]) before[end].push_back(i);
  }
  // Post-order of a walk from the end over reversed edges.
  std::vector<unsigned> order, place(count + 1, 0);
  std::vector<bool> seen(count + 1, false);
  std::vector<std::pair<unsigned, std::size_t>> stack{{end, 0}};
  seen[end] = true;
  while (!stack.empty()) {
    auto& [node, child] = stack.back();
    if (child < before[node].size()) {
      const unsigned next = before[node][child++];
      if (!seen[next]) {
        seen[next] = true;
        stack.push_back({next, 0});
      }
      continue;
    }
    place[node] = static_cast<unsigned>(order.size());
    order.push_back(node);
    stack.pop_back();
  }
  above_.assign(count + 1, none);
  above_[end] = end;
  const auto meet = [&](unsigned a, unsigned b) {
    while (a != b) {
      while (place[a] < place[b]) a = above_[a];
      while (place[b] < place[a]) b = above_[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
      if (*node == end) continue;
      unsigned found = leaves[*node] ? end : none;
      for (BasicBlock* next : next_[*node]) {
        const unsigned n = number_.lookup(next);
        if (above_[n] == none) continue;
        found = found == none ? n : meet(found, n);
      }
      if (found != above_[*node]) above_[*node] = found, changed = true;
    }
  }
}

unsigned SetFlow::height(const BasicBlock* block) const {
  unsigned count = 0;
  for (unsigned node = number_.lookup(block); node < blocks_.size(); node = above_[node]) ++count;
  return count;
}

std::vector<BasicBlock*> SetFlow::between(BasicBlock* from, llvm::ArrayRef<BasicBlock*> until) const {
  std::vector<BasicBlock*> found;
  if (llvm::is_contained(until, from)) return found;
  llvm::SmallPtrSet<BasicBlock*, 16> seen{from};
  found.push_back(from);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (BasicBlock* next : successors(found[i]))
      if (!llvm::is_contained(until, next) && seen.insert(next).second) found.push_back(next);
  }
  return found;
}

std::vector<BasicBlock*> SetFlow::region(const BasicBlock* block) const {
  BasicBlock* end = closest(block);
  std::vector<BasicBlock*> found;
  llvm::SmallPtrSet<BasicBlock*, 16> seen;
  for (BasicBlock* next : successors(block))
    if (next != end && seen.insert(next).second) found.push_back(next);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (BasicBlock* next : successors(found[i]))
      if (next != end && seen.insert(next).second) found.push_back(next);
  }
  return found;
}

}  // namespace lapwing::compiler
