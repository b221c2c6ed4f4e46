// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/exception_handlers.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>

#include <algorithm>

namespace lapwing::compiler {

using llvm::BasicBlock;

std::vector<Handler> find_handlers(llvm::Function& function, const SetFlow& flow, const Reach& reach,
                                   const std::vector<const Split*>& splits) {
  llvm::MapVector<BasicBlock*, std::vector<llvm::InvokeInst*>> pads;
  for (BasicBlock& block : function)
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(block.getTerminator()))
      pads[invoke->getUnwindDest()].push_back(invoke);
  std::vector<Handler> found;
  for (auto& [pad, invokes] : pads) {
    Handler handler{pad, invokes, false, {}, nullptr};
    llvm::SmallPtrSet<BasicBlock*, 8> seen{pad};
    std::vector<BasicBlock*> work{pad}, goes_on;
    while (!work.empty()) {
      BasicBlock* block = work.back();
      work.pop_back();
      if (flow.contains(block)) {
        goes_on.push_back(block);
        continue;
      }
      for (const llvm::Instruction& i : *block)
        if (!handler.communicates && reach(i) != Reaches::nothing) handler.communicates = &i;
      for (BasicBlock* next : llvm::successors(block))
        if (seen.insert(next).second) work.push_back(next);
    }
    if (goes_on.empty()) continue;
    for (llvm::InvokeInst* invoke : invokes) handler.brackets |= reach(*invoke) == Reaches::through;
    for (const Split* split : splits) {
      BasicBlock* meeting = flow.closest(split->branch->getParent());
      const auto region = flow.region(split->branch->getParent());
      const auto inside = [&](BasicBlock* block) { return llvm::is_contained(region, block); };
      const bool left = std::any_of(invokes.begin(), invokes.end(),
                                    [&](llvm::InvokeInst* invoke) { return inside(invoke->getParent()); });
      if (meeting && left && std::none_of(goes_on.begin(), goes_on.end(), inside) &&
          !llvm::is_contained(handler.skipped, meeting))
        handler.skipped.push_back(meeting);
    }
    std::stable_sort(handler.skipped.begin(), handler.skipped.end(),
                     [&](BasicBlock* a, BasicBlock* b) { return flow.height(a) > flow.height(b); });
    found.push_back(std::move(handler));
  }
  return found;
}

}  // namespace lapwing::compiler
