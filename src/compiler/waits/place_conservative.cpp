// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 of Das 3.2.
#include "compiler/waits/place.hpp"

namespace lapwing::compiler {
namespace {

// The last block of the interval, for a wait that nothing in it depends on.
llvm::BasicBlock* last_block(llvm::BasicBlock* home, const Flow& flow) {
  if (const llvm::Loop* loop = flow.loops.getLoopFor(home)) return loop->getLoopLatch();
  // The whole function: the block that all ways end in.
  llvm::BasicBlock* last = nullptr;
  for (llvm::BasicBlock& block : *home->getParent()) {
    if (!llvm::isa<llvm::ReturnInst>(block.getTerminator())) continue;
    if (last) return nullptr;
    last = &block;
  }
  return last;
}

}  // namespace

std::optional<Placement> place_conservatively(const Transfer& transfer, Web& web, const Flow& flow) {
  llvm::Instruction* from = after(*transfer.call);
  if (!from) return {};
  llvm::BasicBlock* home = from->getParent();
  const llvm::Loop* interval = flow.loops.getLoopFor(home);
  const Region region = explore({from, home, {}, interval}, web, flow.loops);

  llvm::BasicBlock* sink = nullptr;
  if (region.stops.empty()) {
    sink = last_block(home, flow);
  } else {
    for (const Stop& stop : region.stops) {
      llvm::BasicBlock* block = stop.at->getParent();
      sink = sink ? flow.dominators.findNearestCommonDominator(sink, block) : block;
    }
  }
  // Up to where every way from the wait passes, and back into its own loop.
  const auto fits = [&](llvm::BasicBlock* block) {
    return flow.loops.getLoopFor(block) == interval && flow.post_dominators.dominates(block, home);
  };
  while (sink && sink != home && !fits(sink)) {
    const auto* node = flow.dominators.getNode(sink);
    sink = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  }
  if (!sink) sink = home;
  if (sink != home && flow.dominators.properlyDominates(sink, home)) sink = home;

  // Within the block: before its first stop, else at its end.
  llvm::Instruction* at = sink == home ? from : &*sink->getFirstInsertionPt();
  while (!at->isTerminator() && !web.stops(*at)) at = at->getNextNode();
  Placement placement;
  Reason reason{"the end of the block that every way passes"};
  llvm::Instruction* culprit = at;
  if (const auto& stop = web.stops(*at)) {
    reason = *stop;
  } else if (!region.stops.empty()) {
    culprit = region.stops.front().culprit;
    reason = region.stops.front().reason;
  }
  placement.points.push_back({at, culprit, reason});
  Walk crossed{from, home, {}, nullptr};
  crossed.walls.insert(at);
  const Region passed = explore(crossed, web, flow.loops);
  placement.worth = passed.worth;
  placement.crossed.assign(passed.entered.begin(), passed.entered.end());
  return placement;
}

bool covers(const Placement& placement, const Transfer& transfer, Web& web, const Flow& flow) {
  llvm::Instruction* from = after(*transfer.call);
  if (!from) return false;
  Walk walk{from, from->getParent(), {}, nullptr};
  for (const Stop& point : placement.points) walk.walls.insert(point.at);
  return explore(walk, web, flow.loops).stops.empty();
}

}  // namespace lapwing::compiler
