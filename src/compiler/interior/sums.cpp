// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/sums.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/interior/copies.hpp"

namespace lapwing::compiler {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::SCEV;

namespace {

// Computing them may not take as long as the loop itself.
constexpr std::size_t most_needed = 60;

// Each round of the nest comes to another place by it, as far as its steps say: no step is left out.
bool moves_evenly(const SCEV* value, const llvm::Loop& loop, llvm::ScalarEvolution& scev) {
  if (scev.isLoopInvariant(value, &loop)) return true;
  const auto all = [&](llvm::ArrayRef<const SCEV*> parts) {
    return llvm::all_of(parts, [&](const SCEV* part) { return moves_evenly(part, loop, scev); });
  };
  if (const auto* counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(value))
    return counter->isAffine() && all(counter->operands());
  if (llvm::isa<llvm::SCEVAddExpr>(value) || llvm::isa<llvm::SCEVMulExpr>(value) ||
      llvm::isa<llvm::SCEVIntegralCastExpr>(value))
    return all(value->operands());
  return false;
}

Footprint* footprint_of(const Instruction& i, bool writes, Accesses& accesses) {
  for (Footprint& one : accesses.footprints)
    if (one.writes == writes && llvm::is_contained(one.by_whom, &i)) return &one;
  return nullptr;
}

class Follower {
 public:
  Follower(Sums& sums, const llvm::Loop& loop, Accesses& accesses, llvm::ScalarEvolution& scev)
      : sums_(sums), loop_(loop), accesses_(accesses), scev_(scev) {}

  bool run() {
    for (Instruction* part : sums_.parts) add_operands(*part);
    for (BasicBlock* block : loop_.blocks()) add_operands(*block->getTerminator());
    while (!work_.empty()) {
      Instruction* i = work_.pop_back_val();
      if (sums_.parts.contains(i) || stored_.contains(i) || sums_.needed.contains(i)) continue;
      if (read_back(*i)) continue;
      sums_.needed.insert(i);
      if (sums_.needed.size() > most_needed) return false;
      if (i->mayReadFromMemory()) {
        Footprint* place = footprint_of(*i, false, accesses_);
        if (!llvm::isa<llvm::LoadInst>(i) || !place) return false;
        place->alone = true;
      }
      add_operands(*i);
    }
    return true;
  }

 private:
  void add_operands(const Instruction& i) {
    for (llvm::Value* operand : i.operands())
      if (auto* made = llvm::dyn_cast<Instruction>(operand); made && loop_.contains(made))
        work_.push_back(made);
  }

  // Where the loop stores a value in the round that has computed it, it is there behind the loop as well.
  bool read_back(Instruction& value) {
    if (llvm::isa<llvm::LoadInst>(value) || llvm::isa<llvm::CastInst>(value)) return false;
    if (llvm::isa<llvm::PHINode>(value) && value.getType()->isIntegerTy()) return false;
    for (llvm::User* user : value.users()) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      if (!store || store->getValueOperand() != &value || store->getParent() != value.getParent()) continue;
      Instruction* at = place_of(value, *store);
      Footprint* place = footprint_of(*store, true, accesses_);
      const SCEV* address = scev_.getSCEV(store->getPointerOperand());
      if (!at || !place || place->by_whom.size() != 1 || place->inner.size() != loops_around(*store) ||
          !moves_evenly(address, loop_, scev_))
        continue;
      place->alone = true;
      sums_.stored.push_back({&value, store, at});
      stored_.insert(&value);
      if (auto* pointer = llvm::dyn_cast<Instruction>(store->getPointerOperand());
          pointer && loop_.contains(pointer))
        work_.push_back(pointer);
      return true;
    }
    return false;
  }

  // Each of them has to move the address.
  std::size_t loops_around(const Instruction& i) const {
    std::size_t count = 0;
    const llvm::Loop* around = &loop_;
    for (bool is_there = true; is_there;) {
      const auto inner = llvm::find_if(*around, [&](const llvm::Loop* one) { return one->contains(&i); });
      is_there = inner != around->end();
      if (is_there) around = *inner, ++count;
    }
    return count;
  }

  // Behind the address and before all uses.
  Instruction* place_of(Instruction& value, llvm::StoreInst& store) const {
    const bool is_first = llvm::none_of(value.users(), [&](const llvm::User* user) {
      const auto* use = llvm::cast<Instruction>(user);
      return use != &store && use->getParent() == store.getParent() && !llvm::isa<llvm::PHINode>(use) &&
             use->comesBefore(&store);
    });
    if (is_first) return &store;
    Instruction* behind =
        llvm::isa<llvm::PHINode>(value) ? &*value.getParent()->getFirstInsertionPt() : value.getNextNode();
    const auto* pointer = llvm::dyn_cast<Instruction>(store.getPointerOperand());
    const bool is_known =
        !pointer || pointer->getParent() != store.getParent() || pointer->comesBefore(behind);
    return is_known ? behind : nullptr;
  }

  Sums& sums_;
  const llvm::Loop& loop_;
  Accesses& accesses_;
  llvm::ScalarEvolution& scev_;
  llvm::SmallVector<Instruction*, 32> work_;
  llvm::SmallPtrSet<const Instruction*, 4> stored_;
};

void erase(llvm::ArrayRef<Instruction*> all) {
  for (Instruction* i : all) i->replaceAllUsesWith(llvm::PoisonValue::get(i->getType()));
  for (Instruction* i : all) i->eraseFromParent();
}

BasicBlock* enter(BasicBlock& header, BasicBlock& before, const llvm::Twine& name) {
  BasicBlock* made = BasicBlock::Create(header.getContext(), name, header.getParent(), &header);
  llvm::BranchInst::Create(&header, made)->setDebugLoc(before.getTerminator()->getDebugLoc());
  header.replacePhiUsesWith(&before, made);
  return made;
}

}  // namespace

bool is_even_counter(llvm::PHINode& phi, const llvm::Loop& loop, llvm::ScalarEvolution& scev) {
  const auto* counter =
      scev.isSCEVable(phi.getType()) ? llvm::dyn_cast<llvm::SCEVAddRecExpr>(scev.getSCEV(&phi)) : nullptr;
  return counter && counter->getLoop() == &loop && counter->isAffine() &&
         scev.isLoopInvariant(counter->getOperand(1), &loop);
}

bool add_parts(Instruction& first, const llvm::Loop& loop, llvm::SmallSetVector<Instruction*, 16>& parts) {
  std::size_t n = parts.size();
  for (parts.insert(&first); n < parts.size(); ++n) {
    for (llvm::User* user : parts[n]->users()) {
      auto* i = llvm::cast<Instruction>(user);
      const bool is_inside = loop.contains(i);
      if (!is_inside && llvm::isa<llvm::PHINode>(i) && i->getParent() == loop.getExitBlock()) continue;
      if (!is_inside || i->isTerminator() || i->mayReadOrWriteMemory() || i->mayHaveSideEffects())
        return false;
      parts.insert(i);
    }
  }
  return true;
}

bool Sums::find_parts(const llvm::Loop& loop, llvm::ScalarEvolution& scev) {
  for (llvm::PHINode& phi : loop.getHeader()->phis())
    if (!is_even_counter(phi, loop, scev) && !add_parts(phi, loop, parts)) return false;
  return llvm::all_of(loop.getExitBlock()->phis(), [&](const llvm::PHINode& phi) {
    auto* result = llvm::dyn_cast<Instruction>(phi.getIncomingValue(0));
    return phi.getNumIncomingValues() == 1 && result && parts.contains(result);
  });
}

bool Sums::can_follow(const llvm::Loop& loop, Accesses& accesses, llvm::ScalarEvolution& scev) {
  return Follower(*this, loop, accesses, scev).run();
}

llvm::SmallVector<BasicBlock*, 2> take_out(const Sums& sums, llvm::Loop& loop, llvm::Value* divided) {
  BasicBlock *before = loop.getLoopPreheader(), *header = loop.getHeader(), *exit = loop.getExitBlock();
  BasicBlock* latch = loop.getLoopLatch();
  llvm::ValueToValueMapTy of_whole, of_sums;
  llvm::SmallVector<BasicBlock*, 16> whole_blocks, sum_blocks;
  copy_blocks(loop, ".whole", whole_blocks, of_whole);
  copy_blocks(loop, ".sums", sum_blocks, of_sums);
  const auto in = [](llvm::ValueToValueMapTy& map, llvm::Value* value) {
    llvm::Value* made = map.lookup(value);
    return made ? made : value;
  };
  for (llvm::PHINode& phi : exit->phis()) {
    llvm::Value* result = phi.getIncomingValueForBlock(latch);
    phi.addIncoming(in(of_whole, result), llvm::cast<BasicBlock>(of_whole[latch]));
    phi.addIncoming(in(of_sums, result), llvm::cast<BasicBlock>(of_sums[latch]));
    phi.removeIncomingValue(latch, false);
  }
  auto* whole_header = llvm::cast<BasicBlock>(of_whole[header]);
  auto* sums_header = llvm::cast<BasicBlock>(of_sums[header]);
  BasicBlock* whole = enter(*whole_header, *before, "lapwing.whole");
  BasicBlock* add = enter(*sums_header, *before, "lapwing.sums");
  BasicBlock* parted = enter(*header, *before, "lapwing.parted");
  latch->getTerminator()->replaceSuccessorWith(exit, add);
  llvm::ReplaceInstWithInst(before->getTerminator(), llvm::BranchInst::Create(parted, whole, divided));

  llvm::SmallPtrSet<const llvm::Value*, 32> kept;
  for (Instruction* i : sums.parts) kept.insert(of_sums.lookup(i));
  for (Instruction* i : sums.needed) kept.insert(of_sums.lookup(i));
  for (const Sums::Stored& stored : sums.stored) {
    auto* store = llvm::cast<llvm::StoreInst>(of_sums.lookup(stored.store));
    llvm::Value* value = of_sums.lookup(stored.value);
    auto* load = new llvm::LoadInst(value->getType(), store->getPointerOperand(), "lapwing.stored", false,
                                    store->getAlign(), llvm::cast<Instruction>(of_sums.lookup(stored.at)));
    load->setDebugLoc(store->getDebugLoc());
    value->replaceUsesWithIf(load, [&](const llvm::Use& use) { return use.getUser() != store; });
    kept.insert(load);
  }
  llvm::SmallVector<Instruction*, 64> others;
  for (BasicBlock* block : sum_blocks)
    for (Instruction& i : *block)
      if (!i.isTerminator() && !kept.contains(&i)) others.push_back(&i);
  erase(others);
  erase(sums.parts.getArrayRef());
  return {whole_header, sums_header};
}

}  // namespace lapwing::compiler
