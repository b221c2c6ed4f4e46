// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/counters.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/interior/sums.hpp"
#include "compiler/llvm_versions.hpp"

namespace lapwing::compiler {
namespace {

// Neither changes while one round of the loop runs.
bool is_of_one_round(const llvm::Value* value, const llvm::Loop& loop) {
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
  return loop.isLoopInvariant(value) || (phi && phi->getParent() == loop.getHeader());
}

// The operation whose result is merged, if it is the same on all ways.
llvm::Instruction* common_operation(const llvm::PHINode& merged, const llvm::Loop& loop) {
  llvm::Instruction* common = nullptr;
  for (llvm::Value* value : merged.incoming_values()) {
    auto* one = llvm::dyn_cast<llvm::Instruction>(value);
    if (!one || !loop.contains(one) ||
        !(llvm::isa<llvm::BinaryOperator>(one) || llvm::isa<llvm::GetElementPtrInst>(one)))
      return nullptr;
    if (common && !one->isIdenticalToWhenDefined(common)) return nullptr;
    common = one;
  }
  const bool is_fixed = common && llvm::all_of(common->operands(), [&](const llvm::Use& use) {
                          return is_of_one_round(use.get(), loop);
                        });
  return is_fixed ? common : nullptr;
}

bool merge(llvm::PHINode& counter, const llvm::Loop& loop) {
  auto* merged = llvm::dyn_cast<llvm::PHINode>(counter.getIncomingValueForBlock(loop.getLoopLatch()));
  if (!merged || !loop.contains(merged) || merged->getParent() == loop.getHeader()) return false;
  const llvm::Instruction* common = common_operation(*merged, loop);
  if (!common || llvm::isa<llvm::PossiblyExactOperator>(common)) return false;
  llvm::Instruction* made = common->clone();
  made->insertBefore(&*merged->getParent()->getFirstInsertionPt());
  for (llvm::Value* value : merged->incoming_values()) made->andIRFlags(value);
  made->takeName(merged);
  merged->replaceAllUsesWith(made);
  merged->eraseFromParent();
  return true;
}

}  // namespace

bool merge_counters(const llvm::LoopInfo& loops) {
  bool changed = false;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->getLoopLatch() || !loop->getLoopPreheader()) continue;
    for (llvm::PHINode& phi : loop->getHeader()->phis()) changed |= merge(phi, *loop);
  }
  return changed;
}

namespace {

// A value of the loop's that was loaded so many rounds before; the first ones before the loop.
struct Kept {
  llvm::LoadInst* load;
  unsigned rounds;
};

class Reloader {
 public:
  Reloader(const llvm::Loop& loop, llvm::ScalarEvolution& scev, Memory& memory, EffectsOf& effects)
      : loop_(loop), scev_(scev), memory_(memory), effects_(effects) {}

  bool run() {
    if (!loop_.getLoopLatch() || !loop_.getLoopPreheader()) return false;
    llvm::SmallVector<llvm::PHINode*, 4> carried;
    for (llvm::PHINode& phi : loop_.getHeader()->phis())
      if (!is_counter(phi)) carried.push_back(&phi);
    for (std::size_t turn = 0; turn < carried.size(); ++turn)
      for (llvm::PHINode* phi : carried) follow(*phi);
    llvm::SmallVector<const llvm::SCEV*, 4> addresses;
    llvm::SCEVExpander expander(scev_, layout_of(*loop_.getHeader()->getParent()), "lapwing.again");
    llvm::erase_if(carried, [&](llvm::PHINode* phi) {
      llvm::SmallSetVector<llvm::Instruction*, 16> parts;
      return kept_.count(phi) == 0 && add_parts(*phi, loop_, parts);
    });
    for (llvm::PHINode* phi : carried) {
      const auto kept = kept_.find(phi);
      const llvm::SCEV* address = kept == kept_.end() ? nullptr : address_of(*phi, kept->second);
      if (!address || !expander.isSafeToExpand(address)) return false;
      addresses.push_back(address);
    }
    for (auto [phi, address] : llvm::zip(carried, addresses)) {
      llvm::LoadInst* load = kept_.find(phi)->second.load;
      llvm::Instruction* at = &*loop_.getHeader()->getFirstInsertionPt();
      llvm::Value* pointer = expander.expandCodeFor(address, load->getPointerOperandType(), at);
      auto* again = llvm::cast<llvm::LoadInst>(load->clone());
      again->setOperand(llvm::LoadInst::getPointerOperandIndex(), pointer);
      again->insertBefore(&*loop_.getHeader()->getFirstInsertionPt());
      if (auto* made = llvm::dyn_cast<llvm::Instruction>(pointer);
          made && made->getParent() == loop_.getHeader() && again->comesBefore(made))
        again->moveAfter(made);
      auto* first = llvm::cast<llvm::Instruction>(phi->getIncomingValueForBlock(loop_.getLoopPreheader()));
      phi->replaceAllUsesWith(again);
      phi->eraseFromParent();
      // Else it would be an access of the loop around this one.
      llvm::RecursivelyDeleteTriviallyDeadInstructions(first);
    }
    return !carried.empty();
  }

 private:
  bool is_counter(llvm::PHINode& phi) const {
    const auto* value =
        scev_.isSCEVable(phi.getType()) ? llvm::dyn_cast<llvm::SCEVAddRecExpr>(scev_.getSCEV(&phi)) : nullptr;
    return value && value->getLoop() == &loop_;
  }

  void follow(llvm::PHINode& phi) {
    llvm::Value* next = phi.getIncomingValueForBlock(loop_.getLoopLatch());
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(next); load && load->isSimple() && loop_.contains(load)) {
      kept_[&phi] = {load, 1};
    } else if (const auto* other = llvm::dyn_cast<llvm::PHINode>(next)) {
      if (const auto known = kept_.find(other); known != kept_.end() && other != &phi)
        kept_[&phi] = {known->second.load, known->second.rounds + 1};
    }
  }

  // Null where another value may lie there by now.
  const llvm::SCEV* address_of(llvm::PHINode& phi, const Kept& kept) {
    const auto* address = llvm::dyn_cast<llvm::SCEVAddRecExpr>(scev_.getSCEV(kept.load->getPointerOperand()));
    const auto* first =
        llvm::dyn_cast<llvm::LoadInst>(phi.getIncomingValueForBlock(loop_.getLoopPreheader()));
    if (!address || address->getLoop() != &loop_ || !address->isAffine() || !first || !first->isSimple() ||
        first->getType() != kept.load->getType())
      return nullptr;
    const llvm::SCEV* step = address->getOperand(1);
    const llvm::SCEV* way = scev_.getMulExpr(step, scev_.getConstant(step->getType(), kept.rounds));
    const llvm::SCEV* start = scev_.getMinusSCEV(address->getStart(), way);
    if (scev_.getSCEV(const_cast<llvm::Value*>(first->getPointerOperand())) != start) return nullptr;
    const auto changes = [&](const llvm::Instruction& i) {
      const auto changes_at = [&](const llvm::LoadInst& load) {
        return llvm::isModSet(memory_.meet(i, effects_(i), llvm::MemoryLocation::get(&load)));
      };
      return i.mayWriteToMemory() && (changes_at(*kept.load) || changes_at(*first));
    };
    const auto changes_any = [&](const llvm::BasicBlock* block) { return llvm::any_of(*block, changes); };
    if (llvm::any_of(loop_.blocks(), changes_any) ||
        any_between(*first, *loop_.getLoopPreheader()->getTerminator(), changes))
      return nullptr;
    return scev_.getAddRecExpr(start, step, &loop_, llvm::SCEV::FlagAnyWrap);
  }

  const llvm::Loop& loop_;
  llvm::ScalarEvolution& scev_;
  Memory& memory_;
  EffectsOf& effects_;
  llvm::SmallMapVector<const llvm::PHINode*, Kept, 4> kept_;
};

}  // namespace

bool load_again(const llvm::Loop& loop, llvm::ScalarEvolution& scev, Memory& memory, EffectsOf& effects) {
  return Reloader(loop, scev, memory, effects).run();
}

}  // namespace lapwing::compiler
