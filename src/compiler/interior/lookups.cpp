// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/lookups.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/llvm_versions.hpp"
#include "compiler/planted.hpp"
#include "compiler/waits/emit.hpp"

namespace lapwing::compiler {

using llvm::IRBuilder;
using llvm::Value;

namespace {

// Where it reads in any round.
llvm::MemoryLocation place_of(const llvm::LoadInst& load) {
  return llvm::MemoryLocation::getBeforeOrAfter(load.getPointerOperand(), load.getAAMetadata());
}

// Whether zero in its place may raise a floating-point exception that the program itself never raises, which
// ends it where such trap: what is divided by it, or its logarithm. Sums and products are harmless.
bool may_trap(const llvm::Use& use) {
  const auto* user = use.getUser();
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user)) {
    switch (call->getIntrinsicID()) {
      case llvm::Intrinsic::fabs:
      case llvm::Intrinsic::copysign:
      case llvm::Intrinsic::fma:
      case llvm::Intrinsic::fmuladd:
      case llvm::Intrinsic::minnum:
      case llvm::Intrinsic::maxnum:
      case llvm::Intrinsic::minimum:
      case llvm::Intrinsic::maximum:
        return false;
      default:
        return true;
    }
  }
  switch (llvm::cast<llvm::Instruction>(user)->getOpcode()) {
    case llvm::Instruction::FDiv:
      return use.getOperandNo() == 1;
    case llvm::Instruction::FRem:
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
      return true;
    default:
      return false;
  }
}

// Whether it matters to where the round goes, what it touches, or whether it can be computed.
bool decides(const llvm::LoadInst& load, const llvm::Loop& loop) {
  llvm::SmallVector<const llvm::Instruction*, 16> work{&load};
  llvm::SmallPtrSet<const llvm::Instruction*, 16> seen{&load};
  while (!work.empty()) {
    const llvm::Instruction* value = work.pop_back_val();
    for (const llvm::Use& use : value->uses()) {
      const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      if (store && store->getValueOperand() == value) continue;
      const bool is_computed =
          llvm::isa<llvm::PHINode>(user) || llvm::isa<llvm::SelectInst>(user) ||
          llvm::isa<llvm::CastInst>(user) || llvm::isa<llvm::CmpInst>(user) ||
          llvm::isa<llvm::UnaryOperator>(user) || llvm::isa<llvm::FreezeInst>(user) ||
          (llvm::isa<llvm::BinaryOperator>(user) && !llvm::cast<llvm::BinaryOperator>(user)->isIntDivRem()) ||
          (llvm::isa<llvm::IntrinsicInst>(user) && value->getType()->isFPOrFPVectorTy());
      if (!is_computed || may_trap(use) || !loop.contains(user)) return true;
      if (seen.insert(user).second) work.push_back(user);
    }
  }
  return false;
}

}  // namespace

bool Lookups::may_meet(const Footprint& written) {
  bool any = false;
  for (const Lookup& one : all_) {
    const bool meets = llvm::any_of(written.by_whom, [&](const llvm::Instruction* i) {
      return llvm::isModSet(memory_.meet(*i, effects_(*i), place_of(*one.load)));
    });
    if (meets) meeting_.insert(one.load);
    any |= meets;
  }
  return any;
}

bool Lookups::may_meet(const InFlight& received) {
  bool any = false;
  for (const Lookup& one : all_) {
    if (received.floating && is_no_floating_access(*one.load, received.where.Ptr)) continue;
    if (!memory_.may_alias(place_of(*one.load), received.where)) continue;
    meeting_.insert(one.load);
    any = true;
  }
  return any;
}

bool Lookups::prepare(const llvm::Loop& loop, llvm::BasicBlock& early, llvm::ScalarEvolution& scev,
                      const llvm::DominatorTree& dominators) {
  const llvm::DataLayout& layout = layout_of(*early.getParent());
  llvm::SCEVExpander expander(scev, layout, "lapwing.lookup");
  for (const Lookup& one : all_) {
    if (!meeting_.contains(one.load)) continue;
    Value* pointer = one.load->getPointerOperand();
    asked_.push_back({one.load, one.load, pointer, pointer,
                      layout.getTypeStoreSize(one.load->getType()).getFixedValue(), false});
    if (!one.within) {
      asked_.back().goes_on = !decides(*one.load, loop);
      continue;
    }
    auto* at = one.within->getLoopPreheader()->getTerminator();
    if (!expander.isSafeToExpandAt(one.first, at) || !expander.isSafeToExpandAt(one.last, at)) return false;
    asked_.back().at = at;
    asked_.back().first = expander.expandCodeFor(one.first, pointer->getType(), at);
    asked_.back().last = expander.expandCodeFor(one.last, pointer->getType(), at);
  }
  // Parts that are the same in all rounds were made above the loop, which is too late for the early ones.
  const auto made = expander.getAllInsertedInstructions();
  const auto is_early = [&](const Value* value) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    return !instruction || loop.contains(instruction) ||
           dominators.dominates(instruction, early.getTerminator());
  };
  for (llvm::Instruction& i : llvm::make_early_inc_range(*loop.getLoopPreheader()))
    if (llvm::is_contained(made, &i)) i.moveBefore(early.getTerminator());
  return llvm::all_of(made,
                      [&](const llvm::Instruction* i) {
                        return is_early(i) && llvm::all_of(i->operands(), [&](const llvm::Use& use) {
                                 return is_early(use.get());
                               });
                      }) &&
         llvm::all_of(asked_, [&](const Asked& one) { return is_early(one.first) && is_early(one.last); });
}

class Lookups::Asker {
 public:
  Asker(const EarlyCopy& copy, const Avoided& avoided)
      : copy_(copy), avoided_(avoided), slots_(*copy.header->getParent()) {
    auto* truth = llvm::Type::getInt1Ty(copy.header->getContext());
    auto* no = llvm::ConstantInt::getFalse(truth);
    is_aside_ = slots_.make(truth, no, "lapwing.is_aside");
    is_end_ = slots_.make(truth, no, "lapwing.is_end");
    rarely_ = llvm::MDBuilder(truth->getContext()).createBranchWeights(1, 1000);
    for (llvm::BasicBlock* block : copy_.blocks) {
      const auto first = llvm::find_if(*block, [](const llvm::Instruction& i) { return writes(i); });
      if (first != block->end()) writes_.push_back(&*first);
    }
    IRBuilder<> begin(copy.header, copy.header->getFirstInsertionPt());
    begin.CreateStore(no, is_aside_);
    begin.CreateStore(no, is_end_);
  }

  void ask(const Asked& one) {
    auto* at = llvm::cast<llvm::Instruction>(copied(one.at));
    IRBuilder<> builder(at);
    builder.SetCurrentDebugLocation(at->getDebugLoc());
    Value* low = number(one.first, builder);
    Value* between = nullptr;
    if (one.last != one.first) {
      Value* last = number(one.last, builder);
      Value* turns = builder.CreateICmpULT(last, low);
      Value* high = builder.CreateSelect(turns, low, last);
      low = builder.CreateSelect(turns, last, low);
      between = builder.CreateSub(high, low);
    }
    Value* meets_kept = meets(avoided_.kept, low, between, one.bytes, builder);
    // Those behind it write nothing that it could read: it runs later as it would have run now.
    if (avoided_.own.empty()) return go_if(meets_kept, copy_.aside, at);
    Value* meets_own = meets(avoided_.own, low, between, one.bytes, builder);
    Value* meets_any = builder.CreateOr(meets_kept, meets_own);
    if (!one.goes_on) return go_if(meets_any, copy_.stop, at);
    note(meets_kept, is_aside_, builder);
    note(meets_own, is_end_, builder);
    auto* load = llvm::cast<llvm::LoadInst>(at);
    load->setOperand(llvm::LoadInst::getPointerOperandIndex(),
                     builder.CreateSelect(meets_any, another(*load), load->getPointerOperand()));
    for (unsigned kind : {llvm::LLVMContext::MD_range, llvm::LLVMContext::MD_nonnull})
      load->setMetadata(kind, nullptr);
    goes_on_ = true;
  }

  // All has been looked up where a round writes first.
  void end() {
    for (llvm::Instruction* write : writes_) {
      if (!goes_on_) break;
      IRBuilder<> builder(write);
      builder.SetCurrentDebugLocation(write->getDebugLoc());
      Value* is_end = builder.CreateLoad(builder.getInt1Ty(), is_end_);
      Value* is_aside = builder.CreateLoad(builder.getInt1Ty(), is_aside_);
      go_if(is_end, copy_.stop, write);
      go_if(is_aside, copy_.aside, write);
    }
    slots_.promote();
  }

 private:
  static bool writes(const llvm::Instruction& i) {
    return llvm::isa<llvm::StoreInst>(i) || llvm::isa<llvm::MemIntrinsic>(i);
  }

  Value* copied(Value* value) const {
    Value* found = copy_.of_loop.lookup(value);
    return found ? found : value;
  }

  Value* number(Value* pointer, IRBuilder<>& builder) const {
    return builder.CreateFreeze(builder.CreatePtrToInt(copied(pointer), builder.getInt64Ty()));
  }

  // Bytes from `low` on, and `between` more. One comparison: below the range numbers wrap and are large. An
  // empty range is that at 0, or met too often.
  Value* meets(llvm::ArrayRef<Value*> ranges, Value* low, Value* between, std::uint64_t bytes,
               IRBuilder<>& builder) const {
    Value* any = builder.getFalse();
    IRBuilder<> before(copy_.enter->getTerminator());
    Value* less_one = before.getInt64(bytes - 1);
    for (std::size_t n = 0; n < ranges.size(); n += 2) {
      Value* first = before.CreateSub(ranges[n], less_one);
      Value* length = before.CreateSub(ranges[n + 1], first);
      Value* way = builder.CreateSub(low, first);
      if (between) {
        way = builder.CreateAdd(way, between);
        length = builder.CreateAdd(length, between);
      }
      any = builder.CreateOr(any, builder.CreateICmpULT(way, length));
    }
    return any;
  }

  static void note(Value* truth, llvm::AllocaInst* slot, IRBuilder<>& builder) {
    builder.CreateStore(builder.CreateOr(builder.CreateLoad(builder.getInt1Ty(), slot), truth), slot);
  }

  void go_if(Value* condition, llvm::BasicBlock* where, llvm::Instruction* at) {
    llvm::BasicBlock* head = at->getParent();
    llvm::BasicBlock* tail = llvm::SplitBlock(head, at);
    copy_.blocks.push_back(tail);
    head->getTerminator()->eraseFromParent();
    IRBuilder<> builder(head);
    builder.SetCurrentDebugLocation(at->getDebugLoc());
    builder.CreateCondBr(condition, where, tail, rarely_);
  }

  // Zero: see may_trap.
  llvm::AllocaInst* another(const llvm::LoadInst& load) {
    llvm::Type* type = load.getType();
    llvm::AllocaInst*& known = numbers_[type];
    if (!known) {
      known = scratch(*copy_.header->getParent(), type, "lapwing.number");
      IRBuilder<>(copy_.enter->getTerminator()).CreateStore(llvm::Constant::getNullValue(type), known);
    }
    known->setAlignment(std::max(known->getAlign(), load.getAlign()));
    return known;
  }

  const EarlyCopy& copy_;
  const Avoided& avoided_;
  Slots slots_;
  llvm::AllocaInst *is_aside_, *is_end_;
  llvm::MDNode* rarely_;
  llvm::SmallVector<llvm::Instruction*, 4> writes_;
  llvm::DenseMap<llvm::Type*, llvm::AllocaInst*> numbers_;
  bool goes_on_ = false;
};

llvm::SmallVector<Value*, 8> Lookups::addresses() const {
  llvm::SmallVector<Value*, 8> all;
  for (const Asked& one : asked_) all.append({one.first, one.last});
  return all;
}

void Lookups::ask(const EarlyCopy& copy, const Avoided& avoided) const {
  Asker asker(copy, avoided);
  if (!has(Planted::interior))
    for (const Asked& one : asked_) asker.ask(one);
  asker.end();
}

}  // namespace lapwing::compiler
