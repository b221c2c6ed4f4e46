// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/nest.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/Casting.h>
#include <llvm/TargetParser/Triple.h>

#include "compiler/llvm_versions.hpp"

namespace lapwing::compiler {
namespace {

using llvm::SCEV;
using llvm::SCEVAddRecExpr;

constexpr unsigned most_blocks = 120;
constexpr unsigned most_instructions = 3000;
// Accesses that lie further apart stay apart: between them may be what is received.
constexpr std::int64_t most_between = 256;

// Processors of which the code generator is known to fuse no multiplication with an addition.
bool never_fuses(const llvm::Function& function) {
  const llvm::Triple triple(function.getParent()->getTargetTriple());
  if (triple.getArch() != llvm::Triple::x86_64) return false;
  const llvm::StringRef features = function.getFnAttribute("target-features").getValueAsString();
  if (features.contains("+fma") || features.contains("+avx512")) return false;
  const llvm::StringRef cpu = function.getFnAttribute("target-cpu").getValueAsString();
  return cpu.empty() || cpu == "generic" || cpu == "x86-64" || cpu == "x86-64-v2";
}

class Describer {
 public:
  Describer(llvm::Loop& loop, llvm::ScalarEvolution& scev)
      : loop_(loop), scev_(scev), function_(*loop.getHeader()->getParent()), layout_(layout_of(function_)) {}

  NestFound run() {
    if (has_right_shape() && has_counters_only() && has_right_instructions()) found_.nest = std::move(nest_);
    return std::move(found_);
  }

 private:
  bool fail(const char* why, const llvm::Instruction* where = nullptr) {
    found_.failure = why;
    found_.where = where;
    return false;
  }

  bool has_right_shape() {
    nest_.loop = &loop_;
    if (!loop_.isLoopSimplifyForm() || !loop_.getLoopLatch() ||
        loop_.getExitingBlock() != loop_.getLoopLatch())
      return fail("the loop is left from its middle");
    if (!llvm::isa<llvm::BranchInst>(loop_.getLoopLatch()->getTerminator()))
      return fail("the loop is left from its middle");
    if (!loop_.getExitBlock()->phis().empty()) return fail("a value of the loop is used behind it");
    if (loop_.getNumBlocks() > most_blocks) return fail("the loop is large");
    nest_.back_edges = rounds_of(loop_);
    return nest_.back_edges || fail("it is not known how often the loop runs");
  }

  // As a number of 64 bits; null where it is not known, or not the same for all rounds of the nest.
  const SCEV* rounds_of(const llvm::Loop& loop) {
    const SCEV* count = scev_.getBackedgeTakenCount(&loop);
    if (llvm::isa<llvm::SCEVCouldNotCompute>(count) || !count->getType()->isIntegerTy() ||
        count->getType()->getIntegerBitWidth() > 64 || !scev_.isLoopInvariant(count, &loop_))
      return nullptr;
    return scev_.getNoopOrZeroExtend(count, llvm::Type::getInt64Ty(function_.getContext()));
  }

  bool has_counters_only() {
    for (llvm::PHINode& phi : loop_.getHeader()->phis()) {
      const auto* counter =
          scev_.isSCEVable(phi.getType()) ? llvm::dyn_cast<SCEVAddRecExpr>(scev_.getSCEV(&phi)) : nullptr;
      if (!counter || counter->getLoop() != &loop_ || !counter->isAffine() ||
          !scev_.isLoopInvariant(counter->getOperand(1), &loop_))
        return fail("a round of the loop needs a value of the round before", &phi);
    }
    return true;
  }

  bool has_right_instructions() {
    unsigned count = 0;
    for (llvm::BasicBlock* block : loop_.blocks()) {
      for (llvm::Instruction& i : *block) {
        if (++count > most_instructions) return fail("the loop is large");
        for (const llvm::User* user : i.users()) {
          if (!loop_.contains(llvm::cast<llvm::Instruction>(user)))
            return fail("a value of the loop is used behind it", &i);
        }
        if (!is_right(i)) return false;
      }
    }
    return true;
  }

  bool is_right(llvm::Instruction& i) {
    if (i.isTerminator())
      return llvm::isa<llvm::BranchInst>(i) || llvm::isa<llvm::SwitchInst>(i) ||
             fail("a branch that is not followed", &i);
    if (llvm::isa<llvm::FPMathOperator>(i) && !has_fixed_value(i))
      return fail("the compiler may compute its floating-point numbers in one copy otherwise than in another",
                  &i);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
      if (!load->isSimple()) return fail("a volatile or atomic access", &i);
      return add(load->getPointerOperand(), bytes_of(load->getType()), false, i);
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
      if (!store->isSimple()) return fail("a volatile or atomic access", &i);
      return add(store->getPointerOperand(), bytes_of(store->getValueOperand()->getType()), true, i);
    }
    if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&i)) {
      if (memory->isVolatile()) return fail("a volatile or atomic access", &i);
      const SCEV* bytes = scev_.getTruncateOrZeroExtend(scev_.getSCEV(memory->getLength()), word());
      const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(memory);
      return add(memory->getRawDest(), bytes, true, i) &&
             (!copy || add(copy->getRawSource(), bytes, false, i));
    }
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) {
      if (llvm::isa<llvm::DbgInfoIntrinsic>(call) || llvm::isa<llvm::AssumeInst>(call)) return true;
      if (call->getIntrinsicID() == llvm::Intrinsic::experimental_noalias_scope_decl) return true;
      const bool is_pure = !call->isInlineAsm() && call->doesNotAccessMemory() && call->doesNotThrow() &&
                           call->hasFnAttr(llvm::Attribute::WillReturn) && !call->isConvergent() &&
                           !call->isMustTailCall();
      return is_pure || fail("a call that may do more than compute", &i);
    }
    if (i.mayReadOrWriteMemory() || i.mayThrow() || llvm::isa<llvm::AllocaInst>(i))
      return fail("an access that is not known", &i);
    return true;
  }

  // Copies of a loop are optimised apart: what leaves the compiler a choice of bits is not copied.
  bool has_fixed_value(const llvm::Instruction& i) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    const bool may_fuse =
        i.hasAllowContract() || (call && call->getIntrinsicID() == llvm::Intrinsic::fmuladd);
    if (may_fuse) {
      if (!never_fuses_) never_fuses_ = never_fuses(function_);
      if (!*never_fuses_) return false;
    }
    return !i.hasAllowReassoc() && !i.hasAllowReciprocal() && !i.hasApproxFunc() && !i.hasNoSignedZeros();
  }

  llvm::Type* word() const { return llvm::Type::getInt64Ty(function_.getContext()); }

  const SCEV* bytes_of(llvm::Type* type) {
    const llvm::TypeSize size = layout_.getTypeStoreSize(type);
    return size.isScalable() ? nullptr : scev_.getConstant(word(), size.getFixedValue());
  }

  bool add(llvm::Value* pointer, const SCEV* bytes, bool writes, const llvm::Instruction& i) {
    static constexpr const char* irregular = "an address that does not grow evenly";
    if (!bytes || pointer->getType()->getPointerAddressSpace() != 0) return fail(irregular, &i);
    Footprint footprint;
    footprint.bytes = bytes;
    footprint.writes = writes;
    footprint.by = scev_.getZero(word());
    const SCEV* at = scev_.getSCEV(pointer);
    while (const auto* counter = llvm::dyn_cast<SCEVAddRecExpr>(at)) {
      if (!loop_.contains(counter->getLoop())) break;
      if (!counter->isAffine()) return fail(irregular, &i);
      const SCEV* by = scev_.getTruncateOrSignExtend(counter->getOperand(1), word());
      if (!scev_.isLoopInvariant(by, &loop_)) return fail(irregular, &i);
      if (counter->getLoop() == &loop_) {
        footprint.by = by;
      } else {
        const SCEV* rounds = rounds_of(*counter->getLoop());
        if (!rounds) return fail("a loop inside runs differently often from round to round", &i);
        if (footprint.inner.size() == most_inner_loops) return fail("the nest is deep", &i);
        footprint.inner.push_back({by, rounds});
      }
      at = counter->getStart();
    }
    if (!scev_.isLoopInvariant(at, &loop_) || !scev_.isLoopInvariant(bytes, &loop_))
      return fail(irregular, &i);
    footprint.first = at;
    return merge(std::move(footprint)) || fail("it touches many places", &i);
  }

  bool merge(Footprint footprint) {
    for (Footprint& known : nest_.footprints) {
      if (known.writes != footprint.writes || known.by != footprint.by || !are_alike(known, footprint))
        continue;
      if (known.first == footprint.first && known.bytes == footprint.bytes) return true;
      const auto* ours = llvm::dyn_cast<llvm::SCEVConstant>(footprint.bytes);
      const auto* theirs = llvm::dyn_cast<llvm::SCEVConstant>(known.bytes);
      const auto* apart =
          llvm::dyn_cast<llvm::SCEVConstant>(scev_.getMinusSCEV(footprint.first, known.first));
      if (!ours || !theirs || !apart || apart->getAPInt().getSignificantBits() > 32) continue;
      const std::int64_t distance = apart->getAPInt().getSExtValue();
      if (distance > most_between || distance < -most_between) continue;
      const std::int64_t begin = std::min<std::int64_t>(0, distance);
      const std::int64_t end = std::max<std::int64_t>(theirs->getAPInt().getSExtValue(),
                                                      distance + ours->getAPInt().getSExtValue());
      if (distance < 0) known.first = footprint.first;
      known.bytes = scev_.getConstant(word(), static_cast<std::uint64_t>(end - begin));
      return true;
    }
    if (nest_.footprints.size() == most_footprints) return false;
    nest_.footprints.push_back(std::move(footprint));
    return true;
  }

  static bool are_alike(const Footprint& a, const Footprint& b) {
    if (a.inner.size() != b.inner.size()) return false;
    for (std::size_t i = 0; i < a.inner.size(); ++i)
      if (a.inner[i].by != b.inner[i].by || a.inner[i].back_edges != b.inner[i].back_edges) return false;
    return true;
  }

  llvm::Loop& loop_;
  llvm::ScalarEvolution& scev_;
  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  Nest nest_;
  NestFound found_;
  std::optional<bool> never_fuses_;
};

}  // namespace

NestFound describe_nest(llvm::Loop& loop, llvm::ScalarEvolution& scev) { return Describer(loop, scev).run(); }

}  // namespace lapwing::compiler
