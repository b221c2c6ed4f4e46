// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/accesses.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/llvm_versions.hpp"

namespace lapwing::compiler {
namespace {

using llvm::SCEV;
using llvm::SCEVAddRecExpr;

constexpr const char* irregular = "an address that does not grow evenly";
// Accesses that lie further apart stay apart: between them may be what is received.
constexpr std::int64_t most_between = 256;
constexpr unsigned most_choices = 3;  // within each other

bool are_alike(const Footprint& a, const Footprint& b) {
  if (a.writes != b.writes || a.by != b.by || a.where != b.where || a.inner.size() != b.inner.size())
    return false;
  for (std::size_t i = 0; i < a.inner.size(); ++i)
    if (a.inner[i].by != b.inner[i].by || a.inner[i].back_edges != b.inner[i].back_edges) return false;
  return true;
}

}  // namespace

const SCEV* Accesses::rounds_of(const llvm::Loop& loop) {
  const SCEV* count = scev_.getBackedgeTakenCount(&loop);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(count) || !count->getType()->isIntegerTy() ||
      count->getType()->getIntegerBitWidth() > 64 || !is_known(count))
    return nullptr;
  return scev_.getNoopOrZeroExtend(count, word());
}

// In arithmetic of 64 bits. A shorter number is as good as any other that is congruent to it: where it is
// made longer, `extended` asks whether it is this one.
const SCEV* Accesses::widened(const SCEV* value) {
  if (value->getType()->isPointerTy()) return value;
  return value->getType()->getIntegerBitWidth() > 64 ? nullptr : scev_.getNoopOrSignExtend(value, word());
}

std::optional<Accesses::Linear> Accesses::linear(const SCEV* value) {
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

std::optional<Accesses::Linear> Accesses::sum_of(std::optional<Linear> a, const std::optional<Linear>& b) {
  if (!a || !b) return std::nullopt;
  a->base = scev_.getAddExpr(a->base, b->base);
  for (const auto& [loop, by] : b->steps) {
    const SCEV*& step = a->steps[loop];
    step = step ? scev_.getAddExpr(step, by) : by;
  }
  a->choices.append(b->choices.begin(), b->choices.end());
  return a;
}

// One of two that move alike: the first, and perhaps the way from there to the second.
std::optional<Accesses::Linear> Accesses::either(const std::optional<Linear>& a,
                                                 const std::optional<Linear>& b) {
  if (!a || !b || !b->choices.empty() || a->steps.size() != b->steps.size()) return std::nullopt;
  for (const auto& [loop, by] : a->steps)
    if (const auto found = b->steps.find(loop); found == b->steps.end() || found->second != by)
      return std::nullopt;
  const SCEV* way = scev_.getMinusSCEV(b->base, a->base);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(way)) return std::nullopt;
  Linear made = *a;
  if (!way->isZero()) made.choices.push_back(way);
  return made;
}

std::optional<Accesses::Linear> Accesses::chosen(const SCEV* value) {
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
llvm::PHINode* Accesses::counter_of(const SCEV* value) const {
  const auto* known = llvm::dyn_cast<llvm::SCEVUnknown>(value);
  auto* phi = known ? llvm::dyn_cast<llvm::PHINode>(known->getValue()) : nullptr;
  return phi && loops_.isLoopHeader(phi->getParent()) ? phi : nullptr;
}

// How far a counter moves in a round, if it is by one known step or not at all: the loop inside that moves it
// may not run.
bool Accesses::add_steps(llvm::Value* next, llvm::PHINode& counter, llvm::Type* type, const SCEV*& step,
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
std::optional<Accesses::Linear> Accesses::counted(llvm::PHINode& counter, llvm::Type* type) {
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
  const SCEV*& all = found->steps[loop];
  all = all ? scev_.getAddExpr(all, step) : step;
  return found;
}

std::optional<Accesses::Linear> Accesses::scaled(const SCEV* product) {
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

std::optional<Accesses::Linear> Accesses::extended(const SCEV* value, bool has_sign) {
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

bool Accesses::describe(const Linear& linear, Footprint* footprint) {
  footprint->first = linear.base;
  footprint->by = scev_.getZero(word());
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
  if (inside.size() + linear.choices.size() > most_inner_loops) return fail("the nest is deep");
  for (const llvm::Loop* loop : inside) {
    const SCEV* rounds = rounds_of(*loop);
    if (!rounds) return fail("a loop inside runs differently often from round to round");
    footprint->inner.push_back({linear.steps.find(loop)->second, rounds});
  }
  for (const SCEV* way : linear.choices) footprint->inner.push_back({way, scev_.getOne(word())});
  return true;
}

bool Accesses::add(const llvm::Instruction& i, llvm::Value* where) {
  const llvm::DataLayout& layout = layout_of(*i.getFunction());
  const auto bytes_of = [&](llvm::Type* type) -> const SCEV* {
    const llvm::TypeSize size = layout.getTypeStoreSize(type);
    return size.isScalable() ? nullptr : scev_.getConstant(word(), size.getFixedValue());
  };
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i))
    return add(i, const_cast<llvm::Value*>(load->getPointerOperand()), bytes_of(load->getType()), false,
               where);
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
    return add(i, const_cast<llvm::Value*>(store->getPointerOperand()),
               bytes_of(store->getValueOperand()->getType()), true, where);
  const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&i);
  if (!memory) return fail("an access that is not known");
  const SCEV* bytes = scev_.getTruncateOrZeroExtend(scev_.getSCEV(memory->getLength()), word());
  const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(memory);
  return add(i, memory->getRawDest(), bytes, true, where) &&
         (!copy || add(i, copy->getRawSource(), bytes, false, where));
}

bool Accesses::add(const llvm::Instruction& i, llvm::Value* pointer, const SCEV* bytes, bool writes,
                   llvm::Value* where) {
  if (!bytes || pointer->getType()->getPointerAddressSpace() != 0 || !is_known(bytes)) return fail(irregular);
  failure = nullptr;
  where_ = where;
  const auto address = linear(scev_.getSCEV(pointer));
  if (!address) return failure ? false : fail(irregular);
  Footprint footprint;
  footprint.bytes = bytes;
  footprint.writes = writes;
  footprint.where = where;
  footprint.by_whom.push_back(&i);
  return describe(*address, &footprint) && (merge(std::move(footprint)) || fail("it touches many places"));
}

bool Accesses::merge(Footprint footprint) {
  for (Footprint& known : footprints) {
    if (!are_alike(known, footprint)) continue;
    if (known.first == footprint.first && known.bytes == footprint.bytes) {
      known.by_whom.append(footprint.by_whom);
      return true;
    }
    const auto* ours = llvm::dyn_cast<llvm::SCEVConstant>(footprint.bytes);
    const auto* theirs = llvm::dyn_cast<llvm::SCEVConstant>(known.bytes);
    const auto* apart = llvm::dyn_cast<llvm::SCEVConstant>(scev_.getMinusSCEV(footprint.first, known.first));
    if (!ours || !theirs || !apart || apart->getAPInt().getSignificantBits() > 32) continue;
    const std::int64_t distance = apart->getAPInt().getSExtValue();
    if (distance > most_between || distance < -most_between) continue;
    const std::int64_t begin = std::min<std::int64_t>(0, distance);
    const std::int64_t end =
        std::max<std::int64_t>(theirs->getAPInt().getSExtValue(), distance + ours->getAPInt().getSExtValue());
    if (distance < 0) known.first = footprint.first;
    known.bytes = scev_.getConstant(word(), static_cast<std::uint64_t>(end - begin));
    known.by_whom.append(footprint.by_whom);
    return true;
  }
  if (footprints.size() == most_footprints) return false;
  footprints.push_back(std::move(footprint));
  return true;
}

}  // namespace lapwing::compiler
