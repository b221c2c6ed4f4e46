// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/survey.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/interior/copies.hpp"
#include "compiler/interior/emit_access.hpp"
#include "compiler/llvm_versions.hpp"
#include "compiler/planted.hpp"

namespace lapwing::compiler {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Loop;
using llvm::Value;

bool Survey::add(Instruction& access) {
  llvm::SmallVector<BasicBlock*, 4> places{access.getParent()};
  Loop* outermost = nullptr;
  for (Loop* loop = loops_.getLoopFor(access.getParent()); loop != home_; loop = loop->getParentLoop()) {
    if (!loop) return false;
    outermost = loop;
    if (loop->getParentLoop() != home_) places.push_back(loop->getLoopPreheader());
  }
  if (!outermost) return false;
  // As far out as it is known: there one question covers the loops inside.
  for (BasicBlock* place : llvm::reverse(places)) {
    if (!place) continue;
    Accesses found(scev_, loops_, *place, nullptr);
    if (!found.add(access)) continue;
    auto& told = told_[place];
    if (!told) told = std::make_unique<Accesses>(scev_, loops_, *place, nullptr);
    if (!told->add(access)) return false;
    Surveyed& one = surveyed_[outermost];
    if (!llvm::is_contained(one.at, place)) one.at.push_back(place);
    return true;
  }
  return false;
}

// A loop that tells nothing need not run, where nothing else of it is needed.
void Survey::leave_out(Surveyed* one, llvm::ArrayRef<Loop*> inside) const {
  for (Loop* loop : inside) {
    const bool tells = llvm::any_of(one->at, [&](BasicBlock* block) { return loop->contains(block); });
    const BasicBlock* before = loop->getLoopPreheader();
    const BasicBlock* exit = loop->getUniqueExitBlock();
    if (!tells && before && exit && llvm::isa<llvm::BranchInst>(before->getTerminator())) {
      one->left_out.push_back(loop);
    } else {
      leave_out(one, loop->getSubLoops());
    }
  }
}

bool Survey::is_left_out(const Surveyed& one, const Instruction& i) const {
  return llvm::any_of(one.left_out, [&](const Loop* loop) {
    // Values of it that are needed behind it are merged there.
    return loop->contains(&i) || (llvm::isa<llvm::PHINode>(i) && loop->getUniqueExitBlock() == i.getParent());
  });
}

bool Survey::is_pure(const Instruction& i) const {
  if (llvm::isa<llvm::LoadInst>(i)) return settled_.contains(&i);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i))
    return llvm::isa<llvm::IntrinsicInst>(call) && call->doesNotAccessMemory() && call->doesNotThrow() &&
           call->hasFnAttr(llvm::Attribute::WillReturn);
  return !i.mayReadOrWriteMemory() && !i.mayThrow() && !llvm::isa<llvm::AllocaInst>(i);
}

// From what decides which way a round goes, and from what it tells, to all that these are computed from.
// False where some of it cannot be computed early.
bool Survey::follow(Loop& loop, const Surveyed& one, const Instruction& asked, Values* needed) const {
  llvm::SmallVector<Value*, 32> work;
  for (BasicBlock* block : loop.blocks()) {
    Instruction* end = block->getTerminator();
    if (is_left_out(one, *end)) continue;
    if (!llvm::isa<llvm::BranchInst>(end) && !llvm::isa<llvm::SwitchInst>(end)) return false;
    needed->insert(end);
    work.append(end->value_op_begin(), end->value_op_end());
  }
  for (Instruction* told : llvm::SmallVector<Instruction*, 32>(needed->begin(), needed->end()))
    if (!told->isTerminator()) work.append(told->value_op_begin(), told->value_op_end());
  while (!work.empty()) {
    auto* i = llvm::dyn_cast<Instruction>(work.pop_back_val());
    if (!i || dominators_.dominates(i, &asked) || needed->contains(i)) continue;
    // Before the loop stands what the expander found to be the same in all rounds.
    const bool is_before = !loop.contains(i);
    if (is_before && (llvm::isa<llvm::PHINode>(i) || !llvm::isSafeToSpeculativelyExecute(i, &asked)))
      return false;
    if (is_left_out(one, *i) || !is_pure(*i)) return false;
    needed->insert(i);
    work.append(i->value_op_begin(), i->value_op_end());
  }
  return true;
}

bool Survey::can_be_made(const Instruction& asked,
                         llvm::function_ref<std::optional<Value*>(BasicBlock&)> reached,
                         llvm::function_ref<bool(const llvm::LoadInst&)> is_settled) {
  for (auto& [loop, one] : surveyed_) {
    BasicBlock* before = loop->getLoopPreheader();
    const auto comes = before ? reached(*before) : std::nullopt;
    if (!comes) return false;
    one.reached = *comes;
    leave_out(&one, loop->getSubLoops());
    for (BasicBlock* block : loop->blocks())
      for (Instruction& i : *block)
        if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i); load && is_settled(*load))
          settled_.insert(load);
    // The expander makes it of values that are there.
    llvm::SCEVExpander expander(scev_, layout_of(*before->getParent()), "lapwing.survey");
    Values needed;
    for (BasicBlock* place : one.at) {
      const Accesses& told = *told_[place];
      for (const auto& all : {llvm::ArrayRef(told.footprints), llvm::ArrayRef(told.numbers)}) {
        for (const Footprint& footprint : all) {
          if (!is_safe_to_expand(footprint, expander)) return false;
          for (Value* value : values_of(footprint))
            if (auto* i = llvm::dyn_cast<Instruction>(value); i && loop->contains(i)) needed.insert(i);
        }
      }
    }
    if (!llvm::all_of(needed, [&](Instruction* i) { return is_pure(*i) && !is_left_out(one, *i); }) ||
        !follow(*loop, one, asked, &needed))
      return false;
  }
  return true;
}

llvm::SmallVector<const Footprint*, 8> Survey::footprints() const {
  llvm::SmallVector<const Footprint*, 8> all;
  for (const auto& [place, told] : told_)
    for (const Footprint& one : told->footprints) all.push_back(&one);
  return all;
}

void Survey::emit(Instruction& at, llvm::function_ref<int(const Footprint&)> flags,
                  llvm::DomTreeUpdater& trees) {
  if (has(Planted::survey)) return;
  for (auto& [loop, one] : surveyed_) {
    llvm::SCEVExpander expander(scev_, layout_of(*at.getFunction()), "lapwing.survey");
    Values needed;
    llvm::SmallVector<Instruction*, 8> calls;
    for (BasicBlock* place : one.at) {
      Instruction* end = place->getTerminator();
      for (const Footprint& footprint : told_[place]->footprints)
        calls.push_back(emit_access(footprint, access_kept | flags(footprint), expander, end));
      for (const Footprint& number : told_[place]->numbers)
        calls.push_back(emit_access(number, access_number, expander, end));
    }
    needed.insert(calls.begin(), calls.end());
    if (follow(*loop, one, at, &needed)) {
      copy(*loop, one, needed, at);
    } else {  // the expander found the same values by another way: no round runs early
      llvm::IRBuilder<> builder(&at);
      call_access(builder, {llvm::ConstantPointerNull::get(builder.getPtrTy()), builder.getInt64(~0ULL),
                            builder.getInt32(access_kept)});
    }
    for (Instruction* call : calls) call->eraseFromParent();
    trees.recalculate(*at.getFunction());  // the next loop's values are looked for with them
  }
}

// With all that it is computed from.
void Survey::copy_before(Instruction& i, const Loop& loop, const Values& needed, Instruction& at,
                         llvm::ValueToValueMapTy& map) {
  if (map.count(&i) != 0) return;
  for (const llvm::Use& use : i.operands())
    if (auto* operand = llvm::dyn_cast<Instruction>(use.get());
        operand && needed.contains(operand) && !loop.contains(operand))
      copy_before(*operand, loop, needed, at, map);
  Instruction* made = i.clone();
  made->insertBefore(&at);
  llvm::RemapInstruction(made, map, llvm::RF_IgnoreMissingLocals | llvm::RF_NoModuleLevelChanges);
  map[&i] = made;
}

void Survey::copy(Loop& loop, const Surveyed& one, const Values& needed, Instruction& at) {
  BasicBlock* head = at.getParent();
  BasicBlock* behind = llvm::SplitBlock(head, &at, static_cast<llvm::DominatorTree*>(nullptr), &loops_);
  BasicBlock* enter = BasicBlock::Create(head->getContext(), "lapwing.survey", head->getParent(), behind);
  llvm::ValueToValueMapTy map;
  llvm::SmallVector<BasicBlock*, 16> blocks, unused;
  for (Instruction* i : needed)
    if (!loop.contains(i)) copy_before(*i, loop, needed, *head->getTerminator(), map);
  copy_blocks(loop, ".survey", blocks, map);
  const auto copied = [&](BasicBlock* block) { return llvm::cast<BasicBlock>(map[block]); };
  for (BasicBlock* block : loop.blocks()) {
    for (Instruction& i : *block) {
      if (needed.contains(&i) || i.isTerminator()) continue;
      auto* made = llvm::cast<Instruction>(map[&i]);
      made->replaceAllUsesWith(llvm::PoisonValue::get(made->getType()));
      made->eraseFromParent();
    }
    Instruction* end = copied(block)->getTerminator();
    for (unsigned n = 0; n < end->getNumSuccessors(); ++n)
      if (!llvm::is_contained(blocks, end->getSuccessor(n))) end->setSuccessor(n, behind);
  }
  for (Loop* inside : one.left_out) {
    copied(inside->getLoopPreheader())
        ->getTerminator()
        ->setSuccessor(0, copied(inside->getUniqueExitBlock()));
    for (BasicBlock* block : inside->blocks()) unused.push_back(copied(block));
  }
  llvm::DeleteDeadBlocks(unused);
  for (llvm::PHINode& phi : copied(loop.getHeader())->phis())
    phi.replaceIncomingBlockWith(loop.getLoopPreheader(), enter);
  llvm::IRBuilder<>(enter).CreateBr(copied(loop.getHeader()));
  Instruction* end = head->getTerminator();
  llvm::IRBuilder<> builder(end);
  if (one.reached) {
    builder.CreateCondBr(one.reached, enter, behind);
  } else {
    builder.CreateBr(enter);
  }
  end->eraseFromParent();
}

}  // namespace lapwing::compiler
