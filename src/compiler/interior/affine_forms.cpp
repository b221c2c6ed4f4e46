// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/affine_forms.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

namespace lapwing::compiler {
namespace {

using llvm::SCEV;
using llvm::SCEVAddRecExpr;

constexpr unsigned most_choices = 3;  // within each other

struct Choice {
  llvm::SmallVector<const SCEV*, 4> options;
  bool is_least = false;
};

// The least or the greatest of several numbers, also where it is made longer.
Choice choice_of(const SCEV* value, llvm::ScalarEvolution& scev) {
  const auto* longer = llvm::dyn_cast<llvm::SCEVSignExtendExpr>(value);
  const auto* choice = llvm::dyn_cast<llvm::SCEVMinMaxExpr>(longer ? longer->getOperand() : value);
  const bool has_sign =
      choice && (llvm::isa<llvm::SCEVSMinExpr>(choice) || llvm::isa<llvm::SCEVSMaxExpr>(choice));
  if (!choice || (longer && !has_sign)) return {};
  Choice found;
  found.is_least = llvm::isa<llvm::SCEVSMinExpr>(choice) || llvm::isa<llvm::SCEVUMinExpr>(choice);
  for (const SCEV* option : choice->operands())
    found.options.push_back(longer ? scev.getSignExtendExpr(option, longer->getType()) : option);
  return found;
}

}  // namespace

bool are_alike(const Footprint& a, const Footprint& b) {
  if (a.writes != b.writes || a.by != b.by || a.where != b.where || a.inner.size() != b.inner.size())
    return false;
  for (std::size_t i = 0; i < a.inner.size(); ++i)
    if (a.inner[i].by != b.inner[i].by || a.inner[i].back_edges != b.inner[i].back_edges ||
        a.inner[i].inside != b.inner[i].inside)
      return false;
  return true;
}

const SCEV* AffineForms::rounds_of(const llvm::Loop& loop) {
  const SCEV* count = scev_.getBackedgeTakenCount(&loop);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(count)) return rounds_if_counted_up(loop);
  if (!count->getType()->isIntegerTy() || count->getType()->getIntegerBitWidth() > 64 || !is_known(count))
    return nullptr;
  return scev_.getNoopOrZeroExtend(count, word());
}

// A loop that goes on as long as its counter is less than a bound, by a step of which it is not known that it
// is positive: the length of a tile. That it is, and that the counter does not wrap, becomes part of the
// question.
const SCEV* AffineForms::rounds_if_counted_up(const llvm::Loop& loop) {
  const auto [known, is_new] = counted_up_.try_emplace(&loop, nullptr);
  if (!is_new) return known->second;
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  const auto* branch = latch && loop.getExitingBlock() == latch
                           ? llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator())
                           : nullptr;
  const auto* compared =
      branch && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
  if (!compared || !compared->getOperand(0)->getType()->isIntegerTy()) return nullptr;
  auto goes_on = compared->getPredicate();
  if (branch->getSuccessor(0) != loop.getHeader()) goes_on = llvm::CmpInst::getInversePredicate(goes_on);
  const SCEV* left = scev_.getSCEV(compared->getOperand(0));
  const SCEV* right = scev_.getSCEV(compared->getOperand(1));
  if (!is_known(right)) {
    std::swap(left, right);
    goes_on = llvm::CmpInst::getSwappedPredicate(goes_on);
  }
  const auto* counter = llvm::dyn_cast<SCEVAddRecExpr>(left);
  const bool has_end = goes_on == llvm::CmpInst::ICMP_SLE;
  if (!counter || counter->getLoop() != &loop || !counter->isAffine() || !is_known(right) ||
      (!has_end && goes_on != llvm::CmpInst::ICMP_SLT))
    return nullptr;
  const SCEV* first = is_known(counter->getStart()) ? widened(counter->getStart()) : nullptr;
  const SCEV* step = is_known(counter->getOperand(1)) ? widened(counter->getOperand(1)) : nullptr;
  const SCEV* end = widened(right);
  if (!first || !step || !end) return nullptr;
  const SCEV* one = scev_.getOne(word());
  const SCEV* less = scev_.getMinusSCEV(step, one);
  const SCEV* way = scev_.getAddExpr(scev_.getMinusSCEV(end, first), has_end ? step : less);
  const SCEV* rounds =
      scev_.getUDivExpr(scev_.getSMaxExpr(way, scev_.getZero(word())), scev_.getSMaxExpr(step, one));
  counted_up_[&loop] = rounds;
  Footprint positive, counted;
  Linear counts{first, {}, {}};
  counts.steps[&loop] = step;
  if (!describe(Linear{less, {}, {}}, &positive) || !describe(counts, &counted))
    return counted_up_[&loop] = nullptr;
  positive.bytes = scev_.getConstant(word(), static_cast<std::uint64_t>(-62), true);
  counted.bytes =
      scev_.getConstant(word(), std::min<std::uint64_t>(counter->getType()->getIntegerBitWidth(), 62));
  numbers.append({positive, counted});
  return rounds;
}

// A tile of a loop ends where the tile or the loop does, so how often it runs differs from round to round:
// but it is no more often than a whole tile. A least number is no greater than any of those that it is the
// least of, and each of these may be known where it is not. `in_all_rounds`: of the loops inside, too. As a
// number of 64 bits; or null.
const SCEV* AffineForms::at_most(const SCEV* value, bool in_all_rounds, unsigned depth) {
  if (is_known(value)) return widened(value);
  if (depth == most_choices) return nullptr;
  if (const auto* quotient = llvm::dyn_cast<llvm::SCEVUDivExpr>(value)) {
    const SCEV* dividend =
        is_known(quotient->getRHS()) ? at_most(quotient->getLHS(), in_all_rounds, depth + 1) : nullptr;
    return dividend ? scev_.getUDivExpr(dividend, scev_.getNoopOrZeroExtend(quotient->getRHS(), word()))
                    : nullptr;
  }
  llvm::SmallVector<const SCEV*, 4> parts{value};
  if (const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(value))
    parts.assign(sum->operands().begin(), sum->operands().end());
  for (const SCEV* part : parts) {
    const Choice choice = choice_of(part, scev_);
    const SCEV* rest = scev_.getMinusSCEV(value, part);
    llvm::SmallVector<const SCEV*, 4> bounds;
    for (const SCEV* option : choice.options) {
      const SCEV* bound = at_most(scev_.getAddExpr(rest, option), in_all_rounds, depth + 1);
      if (choice.is_least && bound) return bound;
      if (bound) bounds.push_back(bound);
    }
    if (!bounds.empty() && bounds.size() == choice.options.size()) return scev_.getSMaxExpr(bounds);
  }
  // All that it asks for stays a part of the question: `counted_up_` relies on it.
  const auto found = linear(value);
  const SCEV* most = found && found->choices.empty() ? found->base : nullptr;
  for (std::size_t n = 0; most && n < found->steps.size(); ++n) {
    const auto& [loop, by] = *(found->steps.begin() + n);
    if (by->isZero()) continue;
    const SCEV* rounds = in_all_rounds ? rounds_of(*loop) : nullptr;
    const SCEV* zero = scev_.getZero(word());
    most = rounds ? scev_.getAddExpr(most, scev_.getSMaxExpr(scev_.getMulExpr(by, rounds), zero)) : nullptr;
  }
  return most;
}

const SCEV* AffineForms::most_rounds_of(const llvm::Loop& loop) {
  if (const SCEV* rounds = rounds_of(loop)) return rounds;
  const SCEV* count = scev_.getBackedgeTakenCount(&loop);
  const bool is_number = !llvm::isa<llvm::SCEVCouldNotCompute>(count) && count->getType()->isIntegerTy() &&
                         count->getType()->getIntegerBitWidth() <= 64;
  return is_number ? at_most(count, false) : nullptr;
}

// A loop over a tile and the loop over all tiles around it make the steps of one loop, which ends where the
// tiles do: the last tile reaches no further.
std::optional<AffineForms::Tiles> AffineForms::tiles_around(const llvm::Loop& loop, const Linear& linear) {
  const SCEV* count = scev_.getBackedgeTakenCount(&loop);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(count)) return std::nullopt;
  for (llvm::PHINode& phi : loop.getHeader()->phis()) {
    const auto* counter =
        phi.getType()->isIntegerTy() ? llvm::dyn_cast<SCEVAddRecExpr>(scev_.getSCEV(&phi)) : nullptr;
    if (!counter || counter->getLoop() != &loop || !counter->isAffine() || !counter->getOperand(1)->isOne())
      continue;
    const auto first = this->linear(counter->getStart());
    if (!first || first->steps.size() != 1 || !first->choices.empty()) continue;
    const auto& [tiles, length] = *first->steps.begin();
    const auto of_tiles = linear.steps.find(tiles), of_loop = linear.steps.find(&loop);
    if (tiles == outer_ || of_tiles == linear.steps.end() || of_loop == linear.steps.end() ||
        of_tiles->second != scev_.getMulExpr(length, of_loop->second))
      continue;
    // Positive as a constant, or as a part of the question.
    const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(length);
    if (constant ? !constant->getAPInt().isStrictlyPositive() : !rounds_if_counted_up(*tiles)) continue;
    const SCEV* last = at_most(
        scev_.getAddExpr(counter->getStart(), scev_.getTruncateOrZeroExtend(count, counter->getType())),
        true);
    if (last)
      return Tiles{tiles, scev_.getSMaxExpr(scev_.getMinusSCEV(last, first->base), scev_.getZero(word()))};
  }
  return std::nullopt;
}

// In arithmetic of 64 bits. A shorter number is as good as any other that is congruent to it: where it is
// made longer, `extended` asks whether it is this one.
const SCEV* AffineForms::widened(const SCEV* value) {
  if (value->getType()->isPointerTy()) return value;
  return value->getType()->getIntegerBitWidth() > 64 ? nullptr : scev_.getNoopOrSignExtend(value, word());
}

std::optional<AffineForms::Linear> AffineForms::linear(const SCEV* value) {
  if (is_known(value)) {
    const SCEV* wide = widened(value);
    return wide ? std::optional(Linear{wide, {}, {}}) : std::nullopt;
  }
  if (const auto* counter = llvm::dyn_cast<SCEVAddRecExpr>(value)) {
    const SCEV* by = counter->isAffine() ? counter->getOperand(1) : nullptr;
    if (!by || !is_known(by) || counter->getLoop()->contains(&asked_) || !(by = widened(by)))
      return std::nullopt;
    auto found = linear(counter->getStart());
    if (!found) return std::nullopt;
    const SCEV*& step = found->steps[counter->getLoop()];
    step = step ? scev_.getAddExpr(step, by) : by;
    return found;
  }
  if (const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(value)) {
    auto all = linear(sum->getOperand(0));
    for (const SCEV* operand : sum->operands().drop_front()) all = sum_of(std::move(all), linear(operand));
    return all;
  }
  switch (value->getSCEVType()) {
    case llvm::scMulExpr:
      return scaled(value);
    case llvm::scTruncate: {
      const SCEV* whole = llvm::cast<llvm::SCEVTruncateExpr>(value)->getOperand();
      llvm::PHINode* counter = counter_of(whole);
      return counter ? counted(*counter, value->getType()) : linear(whole);
    }
    case llvm::scSignExtend:
      return extended(llvm::cast<llvm::SCEVSignExtendExpr>(value)->getOperand(), true);
    case llvm::scZeroExtend:
      return extended(llvm::cast<llvm::SCEVZeroExtendExpr>(value)->getOperand(), false);
    case llvm::scUnknown:
    case llvm::scUMaxExpr:
    case llvm::scSMaxExpr:
    case llvm::scUMinExpr:
    case llvm::scSMinExpr:
      return chosen(value);
    default:
      return std::nullopt;
  }
}

std::optional<AffineForms::Linear> AffineForms::sum_of(std::optional<Linear> a,
                                                       const std::optional<Linear>& b) {
  if (!a || !b) return std::nullopt;
  a->base = scev_.getAddExpr(a->base, b->base);
  for (const auto& [loop, by] : b->steps) {
    const SCEV*& step = a->steps[loop];
    step = step ? scev_.getAddExpr(step, by) : by;
  }
  a->choices.append(b->choices.begin(), b->choices.end());
  a->is_exact = a->is_exact && b->is_exact;
  return a;
}

// One of two that move alike: the first, and perhaps the way from there to the second.
std::optional<AffineForms::Linear> AffineForms::either(const std::optional<Linear>& a,
                                                       const std::optional<Linear>& b) {
  if (!a || !b || !b->choices.empty() || a->steps.size() != b->steps.size()) return std::nullopt;
  for (const auto& [loop, by] : a->steps)
    if (const auto found = b->steps.find(loop); found == b->steps.end() || found->second != by)
      return std::nullopt;
  const SCEV* way = scev_.getMinusSCEV(b->base, a->base);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(way)) return std::nullopt;
  Linear made = *a;
  made.is_exact = a->is_exact && b->is_exact;
  if (!way->isZero()) made.choices.push_back(way);
  return made;
}

std::optional<AffineForms::Linear> AffineForms::chosen(const SCEV* value) {
  llvm::SmallVector<const SCEV*, 4> options;
  if (const auto* known = llvm::dyn_cast<llvm::SCEVUnknown>(value)) {
    auto* phi = llvm::dyn_cast<llvm::PHINode>(known->getValue());
    auto* select = llvm::dyn_cast<llvm::SelectInst>(known->getValue());
    if (counter_of(value)) return counted(*phi, phi->getType());
    if (select) options = {scev_.getSCEV(select->getTrueValue()), scev_.getSCEV(select->getFalseValue())};
    for (unsigned n = 0; phi && n < phi->getNumIncomingValues(); ++n)
      options.push_back(scev_.getSCEV(phi->getIncomingValue(n)));
  } else {
    const auto operands = llvm::cast<llvm::SCEVNAryExpr>(value)->operands();
    options.assign(operands.begin(), operands.end());
  }
  if (options.empty() || depth_ == most_choices) return std::nullopt;
  ++depth_;
  auto all = linear(options.front());
  for (const SCEV* one : llvm::drop_begin(options)) all = either(all, linear(one));
  --depth_;
  return all;
}

// The value of a loop's, from round to round, that a number is.
llvm::PHINode* AffineForms::counter_of(const SCEV* value) const {
  const auto* known = llvm::dyn_cast<llvm::SCEVUnknown>(value);
  auto* phi = known ? llvm::dyn_cast<llvm::PHINode>(known->getValue()) : nullptr;
  return phi && loops_.isLoopHeader(phi->getParent()) ? phi : nullptr;
}

// How far a counter moves in a round, if it is by one known step or not at all: the loop inside that moves it
// may not run.
bool AffineForms::add_steps(llvm::Value* next, llvm::PHINode& counter, llvm::Type* type, const SCEV*& step,
                            unsigned depth) {
  const llvm::Loop* loop = loops_.getLoopFor(counter.getParent());
  const auto part = [&](const SCEV* whole) {
    return whole->getType()->isIntegerTy() ? scev_.getTruncateOrNoop(whole, type) : whole;
  };
  const SCEV* by = scev_.getMinusSCEV(part(scev_.getSCEVAtScope(next, loop)), part(scev_.getSCEV(&counter)));
  if (!llvm::isa<llvm::SCEVCouldNotCompute>(by) && is_known(by)) {
    if (by->isZero() || by == step) return true;
    return std::exchange(step, by) == nullptr;
  }
  const auto* merged = llvm::dyn_cast<llvm::PHINode>(next);
  if (!merged || merged == &counter || depth == most_choices || !loop->contains(merged)) return false;
  return llvm::all_of(merged->incoming_values(), [&](const llvm::Use& one) {
    return add_steps(one.get(), counter, type, step, depth + 1);
  });
}

// A counter of a loop inside that is no even one, as one that makes each step: what it reaches is what this
// one reaches at most. `type`: as much of the number as is used.
std::optional<AffineForms::Linear> AffineForms::counted(llvm::PHINode& counter, llvm::Type* type) {
  const llvm::Loop* loop = loops_.getLoopFor(counter.getParent());
  if (loop == outer_ || loop->contains(&asked_) || !loop->getLoopPreheader() || !loop->getLoopLatch() ||
      depth_ == most_choices)
    return std::nullopt;
  const SCEV* step = nullptr;
  if (!add_steps(counter.getIncomingValueForBlock(loop->getLoopLatch()), counter, type, step, 0))
    return std::nullopt;
  ++depth_;
  auto found = linear(scev_.getSCEV(counter.getIncomingValueForBlock(loop->getLoopPreheader())));
  --depth_;
  step = step ? widened(step) : nullptr;
  if (!found || !step) return found;
  found->is_exact = false;
  const SCEV*& all = found->steps[loop];
  all = all ? scev_.getAddExpr(all, step) : step;
  return found;
}

std::optional<AffineForms::Linear> AffineForms::scaled(const SCEV* product) {
  const SCEV *factor = scev_.getOne(word()), *varies = nullptr;
  for (const SCEV* operand : llvm::cast<llvm::SCEVMulExpr>(product)->operands()) {
    if (!is_known(operand)) {
      if (varies) return std::nullopt;
      varies = operand;
      continue;
    }
    const SCEV* wide = widened(operand);
    if (!wide) return std::nullopt;
    factor = scev_.getMulExpr(factor, wide);
  }
  auto found = varies ? linear(varies) : std::nullopt;
  if (!found || found->base->getType()->isPointerTy()) return std::nullopt;
  found->base = scev_.getMulExpr(found->base, factor);
  for (auto& entry : found->steps) entry.second = scev_.getMulExpr(entry.second, factor);
  for (const SCEV*& way : found->choices) way = scev_.getMulExpr(way, factor);
  return found;
}

std::optional<AffineForms::Linear> AffineForms::extended(const SCEV* value, bool has_sign) {
  auto found = linear(value);
  if (!found || found->base->getType()->isPointerTy()) return std::nullopt;
  Footprint number;
  if (!describe(*found, &number)) return std::nullopt;
  const auto bits = static_cast<std::int64_t>(value->getType()->getIntegerBitWidth());
  number.bytes = scev_.getConstant(word(), static_cast<std::uint64_t>(has_sign ? bits : -bits), true);
  number.where = where_;
  const bool is_known_number = llvm::any_of(numbers, [&](const Footprint& known) {
    return known.first == number.first && known.bytes == number.bytes && are_alike(known, number);
  });
  if (!is_known_number) numbers.push_back(std::move(number));
  return found;
}

bool AffineForms::describe(const Linear& linear, Footprint* footprint) {
  footprint->first = linear.base;
  footprint->by = scev_.getZero(word());
  footprint->is_exact = linear.is_exact;
  llvm::SmallVector<const llvm::Loop*, 4> inside;
  for (const auto& [loop, by] : linear.steps) {
    if (loop == outer_) {
      footprint->by = by;
    } else {
      inside.push_back(loop);
    }
  }
  llvm::sort(inside,
             [](const llvm::Loop* a, const llvm::Loop* b) { return a->getLoopDepth() > b->getLoopDepth(); });
  while (!inside.empty()) {
    const llvm::Loop* loop = inside.front();
    inside.erase(inside.begin());
    const SCEV* rounds = rounds_of(*loop);
    if (const auto tiles = rounds ? std::nullopt : tiles_around(*loop, linear)) {
      rounds = tiles->rounds;
      inside.erase(llvm::find(inside, tiles->loop));
      footprint->is_exact = false;
    }
    if (!rounds) rounds = most_rounds_of(*loop);
    if (!rounds) return fail("a loop inside runs differently often from round to round");
    const auto* known = llvm::find(inside_, loop);
    const std::size_t place =
        known == inside_.end() ? 0 : static_cast<std::size_t>(known - inside_.begin()) + 1;
    footprint->inner.push_back({linear.steps.find(loop)->second, rounds, place});
  }
  if (footprint->inner.size() + linear.choices.size() > most_inner_loops) return fail("the nest is deep");
  for (const SCEV* way : linear.choices) footprint->inner.push_back({way, scev_.getOne(word())});
  return true;
}

}  // namespace lapwing::compiler
