// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/divide_loop.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <tuple>
#include <utility>

#include "compiler/interior/loop_copy.hpp"

namespace lapwing::compiler {
namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::Value;

class Divider {
 public:
  Divider(const Nest& nest, llvm::BasicBlock* early, llvm::ScalarEvolution& scev,
          llvm::SCEVExpander& expander)
      : nest_(nest),
        scev_(scev),
        expander_(expander),
        own_(copy_of(*nest.loop, nest.sums)),
        before_(nest.loop->getLoopPreheader()),
        early_(early) {}

  // The value of each counter in a round.
  llvm::SmallVector<const llvm::SCEV*, 4> counters_at(const llvm::SCEV* round) {
    llvm::SmallVector<const llvm::SCEV*, 4> values;
    for (llvm::PHINode* phi : own_.counters)
      values.push_back(
          llvm::cast<llvm::SCEVAddRecExpr>(scev_.getSCEV(phi))->evaluateAtIteration(round, scev_));
    return values;
  }

  // One loop inside another, which asks what is left.
  DividedLoop run(const Question::Answer& answer, Lookups& lookups, Remembering* remembering) {
    DividedLoop made;
    BasicBlock* behind = early_->getSingleSuccessor();
    BasicBlock* exit = nest_.loop->getExitBlock();
    llvm::Instruction* early = early_->getTerminator();
    llvm::Module& module = *early->getModule();
    IRBuilder<> builder(early);
    builder.SetCurrentDebugLocation(nest_.loop->getStartLoc());
    auto* number = builder.getInt64Ty();
    auto* pointer = builder.getPtrTy();
    auto* type =
        llvm::StructType::get(number, number, number, number, pointer, number, number, number, number);
    llvm::AllocaInst* left = scratch(*early->getFunction(), type, "lapwing.left");
    if (remembering) remembering->let_forget(*left);
    builder.CreateCall(runtime_function(module, "lapwing_interior_open", builder.getVoidTy(),
                                        {pointer, number, number, number}),
                       {left, answer.begin, answer.end, answer.rounds});
    // Each round has its counters from its own number, whatever the round before has come to.
    zero_ = expand(counters_at(scev_.getZero(number)), early);
    for (llvm::PHINode* phi : own_.counters) {
      const llvm::SCEV* step = llvm::cast<llvm::SCEVAddRecExpr>(scev_.getSCEV(phi))->getOperand(1);
      steps_.push_back(expander_.expandCodeFor(step, step->getType(), early));
    }

    llvm::ValueToValueMapTy map;
    Copy interior = clone(*nest_.loop, ".interior", made.interior, map);
    BasicBlock* enter = block("lapwing.interior", interior.header);
    BasicBlock* looked = behind;  // where all early rounds have been looked at
    BasicBlock* first = block(remembering ? "lapwing.recall" : "lapwing.look", enter);
    Value *from = answer.begin, *to = answer.end;
    if (remembering) {
      looked = block("lapwing.remember", enter);
      llvm::BranchInst::Create(enter, first);
      llvm::BranchInst::Create(behind, looked);
    } else {  // as long as that hides something
      std::tie(from, to) = run_given("lapwing_interior_look", left, first, enter, behind);
      looked = first;
    }
    builder.CreateCondBr(builder.CreateICmpSLT(answer.begin, answer.end), first, behind);
    early->eraseFromParent();
    BasicBlock* turn = block("lapwing.turn", interior.header);
    BasicBlock* aside = block("lapwing.aside", turn);
    BasicBlock* stop = block("lapwing.stop", turn);
    llvm::Instruction* back = interior.latch->getTerminator();
    back->moveBefore(*turn, turn->end());
    llvm::BranchInst::Create(turn, interior.latch);
    llvm::PHINode* round = round_of(interior.header);
    const auto counters = counters_of(round, &*interior.header->getFirstInsertionPt());
    for (auto [phi, value] : llvm::zip(interior.counters, counters)) {
      phi->replaceAllUsesWith(value);
      phi->eraseFromParent();
    }
    enter_at(interior.header, enter);
    run_rounds(round, enter, turn, interior.header, from, to, looked);
    builder.SetInsertPoint(aside);
    builder.CreateCall(
        runtime_function(module, "lapwing_interior_put_aside", builder.getVoidTy(), {pointer, number}),
        {left, round});
    builder.CreateBr(turn);
    builder.SetInsertPoint(stop);
    builder.CreateCall(
        runtime_function(module, "lapwing_interior_stop", builder.getVoidTy(), {pointer, number}),
        {left, round});
    builder.CreateBr(remembering ? looked : behind);
    lookups.ask({map, enter, interior.header, aside, stop, made.interior}, answer.avoided);
    made.interior.append({turn, aside});
    made.headers = {interior.header};
    if (!remembering) {
      made.interior.push_back(first);
      made.headers.push_back(first);
    } else {
      first->getTerminator()->eraseFromParent();
      builder.SetInsertPoint(first);
      Value* known = remembering->recall(builder, numbers_of(answer, *remembering));
      BasicBlock* next = block("lapwing.early", enter);
      builder.CreateCondBr(known, next, enter);
      remembering->watch(map, *enter);
      builder.SetInsertPoint(looked->getTerminator());
      remembering->remember(builder);
      llvm::ValueToValueMapTy of_again;
      llvm::SmallVector<BasicBlock*, 16> again_blocks;
      Copy again = clone(*nest_.loop, ".again", again_blocks, of_again);
      run_by(again, "lapwing_interior_early", left, next, "lapwing.again", behind);
      made.interior.append(again_blocks);
      made.interior.push_back(next);
      made.headers.append({again.header, next});
    }

    BasicBlock* ask = block("lapwing.left", own_.header);
    llvm::ReplaceInstWithInst(before_->getTerminator(), llvm::BranchInst::Create(ask));
    run_by(own_, "lapwing_interior_left", left, ask, "lapwing.run", exit);
    made.headers.append({own_.header, ask});
    if (remembering) remembering->finish();
    return made;
  }

  // The rounds before the box, in the rounds of the box what each loop inside leaves before and behind it,
  // and the rounds behind the box.
  DividedLoop run(const Question::Answer& answer) {
    DividedLoop made;
    llvm::Instruction* at = before_->getTerminator();
    llvm::Instruction* early = early_->getTerminator();
    BasicBlock* behind = early_->getSingleSuccessor();
    BasicBlock* exit = nest_.loop->getExitBlock();
    Value *begin = answer.begin, *end = answer.end;
    const auto at_begin = expand(counters_at(scev_.getUnknown(begin)), early);
    const auto at_end = expand(counters_at(scev_.getUnknown(end)), early);
    llvm::SmallVector<Value*, 4> at_first;
    for (llvm::PHINode* phi : own_.counters) at_first.push_back(phi->getIncomingValueForBlock(before_));
    for (const Inside& one : nest_.inside) inside_.emplace_back(*one.loop, scev_, expander_, *early);
    Value* zero = IRBuilder<>(at).getInt64(0);

    llvm::ValueToValueMapTy of_interior;
    Copy interior = clone(*nest_.loop, ".interior", made.interior, of_interior);
    keep_to_box(answer, inside_.size(), of_interior);
    BasicBlock* enter_interior = block("lapwing.interior", interior.header);
    IRBuilder<> builder(early);
    builder.SetCurrentDebugLocation(nest_.loop->getStartLoc());
    builder.CreateCondBr(builder.CreateICmpSLT(begin, end), enter_interior, behind);
    early->eraseFromParent();
    run_copy(interior, enter_interior, at_begin, begin, end, behind);
    made.headers.push_back(interior.header);

    llvm::SmallVector<Part, 6> parts;
    const auto add_part = [&](const char* name, llvm::ValueToValueMapTy& map) {
      llvm::SmallVector<BasicBlock*, 16> blocks;
      const Copy copy = clone(*nest_.loop, llvm::Twine('.') + name, blocks, map);
      BasicBlock* ask = block(llvm::Twine("lapwing.has_") + name, copy.header);
      parts.push_back({copy, ask, block(llvm::Twine("lapwing.") + name, copy.header)});
    };
    const auto add_side = [&](std::size_t inside, Value* from, Value* to) {
      llvm::ValueToValueMapTy map;
      add_part("side", map);
      keep_to_box(answer, inside, map);
      inside_[inside].run(map, from, to);
      parts.back().from = from, parts.back().to = to;
    };
    llvm::ValueToValueMapTy of_first;
    add_part("first", of_first);
    for (std::size_t n = 0; n < inside_.size(); ++n) add_side(n, zero, answer.inside[n].begin);
    for (std::size_t n = inside_.size(); n-- > 0;) add_side(n, answer.inside[n].end, answer.inside[n].rounds);
    BasicBlock* ask_last = block("lapwing.has_last", own_.header);
    parts.push_back({own_, ask_last, block("lapwing.last", own_.header)});

    llvm::ReplaceInstWithInst(at, llvm::BranchInst::Create(parts.front().ask));
    for (std::size_t n = 0; n < parts.size(); ++n) {
      Part& part = parts[n];
      const bool is_first = n == 0, is_last = n + 1 == parts.size();
      BasicBlock* next = is_last ? exit : parts[n + 1].ask;
      Value* from = is_last ? end : is_first ? zero : begin;
      Value* to = is_last ? answer.rounds : is_first ? begin : end;
      builder.SetInsertPoint(part.ask);
      Value* runs = builder.CreateICmpSLT(from, to);
      if (part.from) runs = builder.CreateAnd(runs, builder.CreateICmpSLT(part.from, part.to));
      builder.CreateCondBr(runs, part.enter, next);
      run_copy(part.copy, part.enter, is_last ? at_end : is_first ? at_first : at_begin, from, to, next);
      made.headers.push_back(part.copy.header);
    }
    return made;
  }

 private:
  // Of what stays where the loop stood: whether it runs, and where it is entered. `from`, `to`: the rounds of
  // the loop inside that it has, if it is one side of the box.
  struct Part {
    Copy copy;
    BasicBlock *ask, *enter;
    Value *from = nullptr, *to = nullptr;
  };

  void enter_at(BasicBlock* header, BasicBlock* enter) const {
    llvm::BranchInst::Create(header, enter)->setDebugLoc(nest_.loop->getStartLoc());
  }

  llvm::SmallVector<Value*, 4> expand(llvm::ArrayRef<const llvm::SCEV*> values, llvm::Instruction* at) {
    llvm::SmallVector<Value*, 4> made;
    for (std::size_t i = 0; i < values.size(); ++i)
      made.push_back(expander_.expandCodeFor(values[i], own_.counters[i]->getType(), at));
    return made;
  }

  llvm::SmallVector<Value*, 4> counters_of(Value* round, llvm::Instruction* at) const {
    llvm::SmallVector<Value*, 4> values;
    IRBuilder<> inside(at);
    for (auto [first, step] : llvm::zip(zero_, steps_)) values.push_back(moved(first, step, round, inside));
    return values;
  }

  llvm::SmallVector<Value*, 16> numbers_of(const Question::Answer& answer, const Remembering& remembering) {
    llvm::SmallVector<Value*, 16> all{answer.begin, answer.end, answer.rounds};
    all.append(answer.avoided.kept);
    all.append(answer.avoided.own);
    for (std::size_t i = 0; i < own_.counters.size(); ++i)
      if (remembering.follows_from(*own_.counters[i])) all.append({zero_[i], steps_[i]});
    return all;
  }

  // Of a copy, the outermost `count` loops inside run the rounds of the box only.
  void keep_to_box(const Question::Answer& answer, std::size_t count, llvm::ValueToValueMapTy& map) {
    for (std::size_t n = 0; n < count; ++n) inside_[n].run(map, answer.inside[n].begin, answer.inside[n].end);
  }

  // The copy begins in `enter`, runs rounds [from, to), of which there is one at least, and goes on to
  // `next`.
  void run_copy(Copy& copy, BasicBlock* enter, llvm::ArrayRef<Value*> values, Value* from, Value* to,
                BasicBlock* next) {
    for (std::size_t i = 0; i < copy.counters.size(); ++i) {
      llvm::PHINode* phi = copy.counters[i];
      const int index = phi->getBasicBlockIndex(before_);
      phi->setIncomingBlock(static_cast<unsigned>(index), enter);
      phi->setIncomingValue(static_cast<unsigned>(index), values[i]);
    }
    enter_at(copy.header, enter);
    run_rounds(round_of(copy.header), enter, copy.latch, copy.header, from, to, next);
  }

  // The copy runs what `function` gives, run after run; at last nothing, and `next` follows.
  void run_by(Copy& copy, llvm::StringRef function, Value* left, BasicBlock* ask, const llvm::Twine& name,
              BasicBlock* next) {
    BasicBlock* enter = block(name, copy.header);
    const auto [from, to] = run_given(function, left, ask, enter, next);
    run_copy(copy, enter, counters_of(from, ask->getTerminator()), from, to, ask);
  }

  // Asks in `ask` for rounds [from, to), which `enter` runs; `next` follows where there are none.
  std::pair<Value*, Value*> run_given(llvm::StringRef function, Value* left, BasicBlock* ask,
                                      BasicBlock* enter, BasicBlock* next) {
    IRBuilder<> builder(ask);
    builder.SetCurrentDebugLocation(nest_.loop->getStartLoc());
    auto* number = builder.getInt64Ty();
    Value* run =
        builder.CreateCall(runtime_function(*ask->getModule(), function,
                                            llvm::StructType::get(number, number), {left->getType()}),
                           {left});
    Value* from = builder.CreateExtractValue(run, 0);
    Value* to = builder.CreateExtractValue(run, 1);
    builder.CreateCondBr(builder.CreateICmpSLT(from, to), enter, next);
    return {from, to};
  }

  const Nest& nest_;
  llvm::ScalarEvolution& scev_;
  llvm::SCEVExpander& expander_;
  Copy own_;
  BasicBlock* before_;
  BasicBlock* early_;
  llvm::SmallVector<LoopInside, 2> inside_;
  llvm::SmallVector<Value*, 4> zero_, steps_;  // of the counters, where rounds are run one by one
};

}  // namespace

bool can_be_divided(const Nest& nest, const BasicBlock& early, llvm::ScalarEvolution& scev,
                    llvm::SCEVExpander& expander) {
  const auto is_known = [&](const llvm::SCEV* value) {
    return scev.dominates(value, &early) && expander.isSafeToExpand(value);
  };
  for (const Inside& one : nest.inside)
    if (!LoopInside::can_be_set(*one.loop, scev, expander)) return false;
  if (!llvm::all_of(Divider(nest, nullptr, scev, expander).counters_at(nest.back_edges), is_known))
    return false;
  const llvm::DominatorTree dominators(*nest.loop->getHeader()->getParent());
  return llvm::all_of(nest.loop->blocks(), [&](const BasicBlock* block) {
    return llvm::all_of(*block, [&](const llvm::Instruction& i) {
      return llvm::all_of(i.operands(), [&](const llvm::Use& use) {
        const auto* operand = llvm::dyn_cast<llvm::Instruction>(use.get());
        const bool is_first = llvm::isa<llvm::PHINode>(i) && block == nest.loop->getHeader();
        return !operand || is_first || nest.loop->contains(operand) ||
               dominators.dominates(operand, early.getTerminator());
      });
    });
  });
}

DividedLoop divide_loop(const Nest& nest, BasicBlock& early, const Question::Answer& answer, Lookups& lookups,
                        Remembering* remembering, llvm::ScalarEvolution& scev, llvm::SCEVExpander& expander) {
  llvm::SmallVector<BasicBlock*, 2> beside;
  if (!nest.sums.empty()) {
    Value* divided = IRBuilder<>(early.getTerminator()).CreateICmpSLT(answer.begin, answer.end);
    beside = take_out(nest.sums, *nest.loop, divided);
  }
  Divider divider(nest, &early, scev, expander);
  DividedLoop made =
      lookups.meet_anything() ? divider.run(answer, lookups, remembering) : divider.run(answer);
  made.headers.append(beside);
  return made;
}

}  // namespace lapwing::compiler
