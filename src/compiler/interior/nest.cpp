// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/nest.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>
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
constexpr unsigned most_instructions_inside = 1000;  // of which each loop inside makes two more copies
constexpr unsigned most_lookups = 12;
constexpr std::size_t most_loops_inside = 2;  // transfer/compiled/interior_range.hpp

enum class Fusing { never, always, unknown };

// Whether the code generator makes one operation of a multiplication and an addition that the source has in
// one expression (fmuladd): on a processor that has it, always.
Fusing fusing_of(const llvm::Function& function) {
  const llvm::Triple triple(function.getParent()->getTargetTriple());
  if (triple.getArch() != llvm::Triple::x86_64) return Fusing::unknown;
  const llvm::StringRef features = function.getFnAttribute("target-features").getValueAsString();
  if (features.contains("+fma,") || features.ends_with("+fma")) return Fusing::always;
  if (features.contains("+fma4") || features.contains("+avx512")) return Fusing::unknown;
  const llvm::StringRef cpu = function.getFnAttribute("target-cpu").getValueAsString();
  const bool has_none = cpu.empty() || cpu == "generic" || cpu == "x86-64" || cpu == "x86-64-v2";
  return has_none ? Fusing::never : Fusing::unknown;
}

class Describer {
 public:
  Describer(llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::BasicBlock& asked,
            llvm::ScalarEvolution& scev, const llvm::TargetLibraryInfo& library)
      : loop_(loop),
        loops_(loops),
        scev_(scev),
        library_(library),
        accesses_(scev, loops, asked, &loop),
        function_(*loop.getHeader()->getParent()),
        inside_(only_loops_inside(loop)) {
    accesses_.tell_apart(inside_);
  }

  NestFound run() {
    if (!has_right_shape() || !has_counters_only() || !has_right_instructions()) return std::move(found_);
    if (!computes(loop_) && !fail("it moves numbers and computes none")) return std::move(found_);
    if (!looks_before_it_writes()) return std::move(found_);
    for (const Footprint& one : accesses_.footprints)
      if (one.writes && one.by->isZero() &&
          !fail("each of its rounds writes the same memory", one.by_whom[0]))
        return std::move(found_);
    if (!nest_.sums.empty() && !nest_.sums.can_follow(loop_, accesses_, scev_)) {
      found_.is_final = false;
      fail("its sums cannot be computed behind it from what it stores", nest_.sums.parts[0]);
      return std::move(found_);
    }
    find_inside();
    nest_.footprints = std::move(accesses_.footprints);
    nest_.numbers = std::move(accesses_.numbers);
    found_.nest = std::move(nest_);
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
    if (loop_.getNumBlocks() > most_blocks) return fail("the loop is large");
    nest_.back_edges = accesses_.rounds_of(loop_);
    if (nest_.back_edges) return true;
    found_.is_final = false;
    return fail("it is not known how often the loop runs");
  }

  bool has_counters_only() {
    if (nest_.sums.find_parts(loop_, scev_)) return true;
    if (nest_.sums.empty()) return fail("a value of the loop is used behind it");
    return fail("a round of the loop needs a value of the round before", nest_.sums.parts[0]);
  }

  bool has_right_instructions() {
    for (llvm::BasicBlock* block : loop_.blocks()) {
      for (llvm::Instruction& i : *block) {
        if (++instructions_ > most_instructions) return fail("the loop is large");
        for (const llvm::User* user : i.users()) {
          if (!loop_.contains(llvm::cast<llvm::Instruction>(user)) && !nest_.sums.parts.contains(&i))
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
    if ((llvm::isa<llvm::FPMathOperator>(i) && !has_fixed_value(i)) || may_become_vector(i))
      return fail("the compiler may compute its floating-point numbers in one copy otherwise than in another",
                  &i);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
      if (!load->isSimple()) return fail("a volatile or atomic access", &i);
      return add(i);
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
      if (!store->isSimple()) return fail("a volatile or atomic access", &i);
      return add(i);
    }
    if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&i)) {
      if (memory->isVolatile()) return fail("a volatile or atomic access", &i);
      return add(i);
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
    const bool is_one_expression = call && call->getIntrinsicID() == llvm::Intrinsic::fmuladd;
    if (i.hasAllowContract() || is_one_expression) {
      if (!fusing_) fusing_ = fusing_of(function_);
      const llvm::Type* type = i.getType()->getScalarType();
      const bool is_always = is_one_expression && !i.hasAllowContract() && *fusing_ == Fusing::always &&
                             (type->isFloatTy() || type->isDoubleTy());
      if (*fusing_ != Fusing::never && !is_always) return false;
    }
    return !i.hasAllowReassoc() && !i.hasAllowReciprocal() && !i.hasApproxFunc() && !i.hasNoSignedZeros();
  }

  // Functions of vectors round otherwise than those of single numbers (-fveclib), and which rounds make a
  // vector follows from where a copy begins.
  bool may_become_vector(const llvm::Instruction& i) const {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    if (!call) return false;
    const llvm::Function* callee = call->getCalledFunction();
    return (callee && library_.isFunctionVectorizable(callee->getName())) ||
           call->hasFnAttr("vector-function-abi-variant");
  }

  bool add(llvm::Instruction& i) {
    if (accesses_.add(i)) return true;
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
    if (load && nest_.lookups.size() < most_lookups && load->getPointerAddressSpace() == 0 &&
        !has_scalable_length(*load->getType())) {
      nest_.lookups.push_back(lookup(*load));
      return true;
    }
    found_.is_final = false;
    return fail(accesses_.failure, &i);
  }

  Lookup lookup(llvm::LoadInst& load) {
    Lookup made{&load};
    llvm::Loop* inner = loops_.getLoopFor(load.getParent());
    llvm::Value* pointer = load.getPointerOperand();
    if (inner == &loop_ || !inner->getLoopPreheader()) return made;
    const auto* address = llvm::dyn_cast<SCEVAddRecExpr>(scev_.getSCEV(pointer));
    const llvm::SCEV* rounds = scev_.getBackedgeTakenCount(inner);
    if (!address || address->getLoop() != inner || !address->isAffine() ||
        llvm::isa<llvm::SCEVCouldNotCompute>(rounds))
      return made;
    const llvm::SCEV* first = address->getStart();
    const llvm::SCEV* last = address->evaluateAtIteration(rounds, scev_);
    const auto is_known = [&](const llvm::SCEV* value) {
      return scev_.properlyDominates(value, inner->getHeader()) &&
             !llvm::SCEVExprContains(value,
                                     [](const llvm::SCEV* part) { return llvm::isa<SCEVAddRecExpr>(part); });
    };
    return is_known(first) && is_known(last) ? Lookup{&load, inner, first, last} : made;
  }

  // A round that is put aside runs again, from its begin.
  bool looks_before_it_writes() {
    if (nest_.lookups.empty()) return true;
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> asks;
    for (const Lookup& one : nest_.lookups) asks.insert(one.asked().getParent());
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
    llvm::SmallVector<const llvm::BasicBlock*, 16> work;
    const llvm::Instruction* write = nullptr;
    for (const llvm::BasicBlock* block : loop_.blocks()) {
      for (const llvm::Instruction& i : *block) {
        if (llvm::isa<llvm::StoreInst>(i) || llvm::isa<llvm::MemIntrinsic>(i)) write = &i;
        const bool is_asked =
            llvm::any_of(nest_.lookups, [&](const Lookup& one) { return &one.asked() == &i; });
        if (write && write->getParent() == block && is_asked) return looks_late(*write);
      }
      if (write && write->getParent() == block) work.push_back(block);
    }
    while (!work.empty()) {
      for (const llvm::BasicBlock* next : llvm::successors(work.pop_back_val())) {
        if (!loop_.contains(next) || next == loop_.getHeader() || !seen.insert(next).second) continue;
        if (asks.contains(next)) return looks_late(*write);
        work.push_back(next);
      }
    }
    return true;
  }

  bool looks_late(const llvm::Instruction& write) {
    found_.is_final = false;
    return fail("a round writes before it looks up all that it reads", &write);
  }

  // A round that looks up is put aside as a whole.
  void find_inside() {
    if (!nest_.lookups.empty() || instructions_ > most_instructions_inside) return;
    const llvm::Loop* around = &loop_;
    for (llvm::Loop* inside : inside_) {
      const SCEV* back_edges = scev_.getBackedgeTakenCount(inside);
      if (llvm::isa<llvm::SCEVCouldNotCompute>(back_edges) || !accesses_.is_known(back_edges) ||
          !can_be_divided(*inside) || writes_beside(*around, *inside))
        return;
      back_edges = scev_.getNoopOrZeroExtend(back_edges, llvm::Type::getInt64Ty(function_.getContext()));
      nest_.inside.push_back({inside, back_edges});
      if (!fits_in_steps()) return nest_.inside.pop_back();
      around = inside;
    }
  }

  bool can_be_divided(const llvm::Loop& inside) const {
    const llvm::BasicBlock* latch = inside.getLoopLatch();
    if (!inside.isLoopSimplifyForm() || !latch || inside.getExitingBlock() != latch ||
        !llvm::isa<llvm::BranchInst>(latch->getTerminator()) ||
        scev_.getBackedgeTakenCount(&inside)->getType()->getIntegerBitWidth() > 64)
      return false;
    const auto is_right = [&](llvm::PHINode& phi) {
      return nest_.sums.parts.contains(&phi) ||
             (is_even_counter(phi, inside, scev_) &&
              accesses_.is_known(llvm::cast<SCEVAddRecExpr>(scev_.getSCEV(&phi))->getOperand(1)));
    };
    const auto is_used_behind = [&](llvm::Instruction& i) {
      return !nest_.sums.parts.contains(&i) && llvm::any_of(i.users(), [&](const llvm::User* user) {
        return !inside.contains(llvm::cast<llvm::Instruction>(user));
      });
    };
    return llvm::all_of(inside.getHeader()->phis(), is_right) &&
           llvm::none_of(inside.blocks(),
                         [&](llvm::BasicBlock* block) { return llvm::any_of(*block, is_used_behind); });
  }

  static bool writes_beside(const llvm::Loop& around, const llvm::Loop& inside) {
    return llvm::any_of(around.blocks(), [&](const llvm::BasicBlock* block) {
      return !inside.contains(block) && llvm::any_of(*block, [](const llvm::Instruction& i) {
        return llvm::isa<llvm::StoreInst>(i) || llvm::isa<llvm::MemIntrinsic>(i);
      });
    });
  }

  // The steps of loops that are divided have places of their own (emit_access.hpp).
  bool fits_in_steps() const {
    const std::size_t divided = nest_.inside.size();
    return llvm::all_of(accesses_.footprints, [&](const Footprint& one) {
      const auto others = llvm::count_if(
          one.inner, [&](const Footprint::Step& step) { return step.inside == 0 || step.inside > divided; });
      return one.is_exact && divided + static_cast<std::size_t>(others) <= most_inner_loops;
    });
  }

  llvm::Loop& loop_;
  const llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& scev_;
  const llvm::TargetLibraryInfo& library_;
  Accesses accesses_;
  llvm::Function& function_;
  Nest nest_;
  NestFound found_;
  std::optional<Fusing> fusing_;
  unsigned instructions_ = 0;
  llvm::SmallVector<llvm::Loop*, 2> inside_;
};

}  // namespace

llvm::SmallVector<llvm::Loop*, 2> only_loops_inside(const llvm::Loop& loop) {
  llvm::SmallVector<llvm::Loop*, 2> inside;
  const llvm::Loop* around = &loop;
  while (inside.size() < most_loops_inside && around->getSubLoops().size() == 1)
    around = inside.emplace_back(around->getSubLoops().front());
  return inside;
}

bool computes(const llvm::Loop& loop) {
  llvm::SmallPtrSet<const llvm::Value*, 16> seen;
  llvm::SmallVector<const llvm::Value*, 16> work;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& i : *block) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
      if (!store) continue;
      // A counter, in code that is not optimised yet.
      const llvm::Value* value = store->getValueOperand();
      const bool is_local = llvm::isa<llvm::AllocaInst>(store->getPointerOperand());
      if (!is_local || value->getType()->isFPOrFPVectorTy()) work.push_back(value);
    }
  }
  while (!work.empty()) {
    const auto* i = llvm::dyn_cast<llvm::Instruction>(work.pop_back_val());
    if (!i || !loop.contains(i) || !seen.insert(i).second) continue;
    const bool hands_on = llvm::isa<llvm::PHINode>(i) || llvm::isa<llvm::SelectInst>(i) ||
                          llvm::isa<llvm::CastInst>(i) || llvm::isa<llvm::FreezeInst>(i);
    if (hands_on)
      work.append(i->value_op_begin(), i->value_op_end());
    else if (!llvm::isa<llvm::LoadInst>(i) && !llvm::isa<llvm::GetElementPtrInst>(i))
      return true;
  }
  return false;
}

NestFound describe_nest(llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::BasicBlock& asked,
                        llvm::ScalarEvolution& scev, const llvm::TargetLibraryInfo& library) {
  return Describer(loop, loops, asked, scev, library).run();
}

}  // namespace lapwing::compiler
