// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/splits.hpp"
#include "compiler/effects/library_calls.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace lapwing::compiler {
namespace {

using llvm::BasicBlock;

std::string reason_against(const llvm::Function& function) {
  if (function.isPresplitCoroutine()) return "a coroutine may be left and entered in the middle";
  if (function.hasFnAttribute(llvm::Attribute::Naked)) return "it is assembly";
  for (const llvm::Instruction& i : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    if (!call) continue;
    if (returns_twice(*call)) return "a jump may come back to its setjmp";
    if (call->isMustTailCall()) return "a call takes its place on the stack";
  }
  return {};
}

std::string reason_against(const llvm::Instruction& branch) {
  if (llvm::isa<llvm::BranchInst>(branch) || llvm::isa<llvm::SwitchInst>(branch)) return {};
  if (llvm::isa<llvm::IndirectBrInst>(branch)) return "a computed goto says no branch by number";
  if (llvm::isa<llvm::CallBrInst>(branch)) return "assembly jumps";
  return "it is no branch of a kind that is known";
}

// All blocks to which every path of at least two branches comes, and which branches those are.
std::vector<Meeting> meetings_of(const BasicBlock* block, const std::vector<BasicBlock*>& branches,
                                 const SetFlow& flow) {
  BasicBlock* last = flow.closest(block);
  std::vector<Meeting> found;
  for (unsigned i = 0; i < branches.size(); ++i) {
    for (BasicBlock* at = branches[i]; at && at != last; at = flow.closest(at)) {
      auto same = std::find_if(found.begin(), found.end(), [&](const Meeting& m) { return m.at == at; });
      if (same == found.end()) same = found.insert(found.end(), Meeting{at, {}});
      same->branches.push_back(i);
    }
  }
  std::erase_if(found, [](const Meeting& m) { return m.branches.size() < 2; });
  // All of the branches may meet before the closest merge only where the branch itself meets them.
  std::stable_sort(found.begin(), found.end(),
                   [&](const Meeting& a, const Meeting& b) { return flow.height(a.at) > flow.height(b.at); });
  // Where the same branches have met already, nothing is left to merge.
  std::vector<Meeting> kept;
  for (Meeting& meeting : found) {
    const bool again = std::any_of(kept.begin(), kept.end(),
                                   [&](const Meeting& m) { return m.branches == meeting.branches; });
    if (!again) kept.push_back(std::move(meeting));
  }
  Meeting all{last, {}};
  for (unsigned i = 0; i < branches.size(); ++i) all.branches.push_back(i);
  kept.push_back(std::move(all));
  return kept;
}

}  // namespace

FunctionSplits find_splits(llvm::Function& function, const Reach& reach) {
  FunctionSplits result{&function, {}, {}, {}, {}};
  result.refused_whole = reason_against(function);
  result.flow =
      std::make_unique<SetFlow>(function, [&](const BasicBlock& block) { return reach.ends(block); });
  const SetFlow& flow = *result.flow;
  llvm::SmallPtrSet<const BasicBlock*, 16> reaching;
  for (BasicBlock* block : flow.blocks())
    if (reach(*block)) reaching.insert(block);
  for (BasicBlock* block : flow.blocks()) {
    const auto& next = flow.successors(block);
    if (next.size() < 2) continue;
    const auto region = flow.region(block);
    if (std::none_of(region.begin(), region.end(), [&](BasicBlock* b) { return reaching.contains(b); }))
      continue;
    llvm::Instruction* branch = block->getTerminator();
    const std::string why = reason_against(*branch);
    if (!why.empty()) {
      result.refused.push_back({branch, why});
      continue;
    }
    Split split{branch, {next.begin(), next.end()}, {}};
    split.meetings = meetings_of(block, split.branches, flow);
    result.splits.push_back(std::move(split));
  }
  return result;
}

}  // namespace lapwing::compiler
