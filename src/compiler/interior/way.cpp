// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/way.hpp"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/alias/loaded_value.hpp"
#include "compiler/effects/library_calls.hpp"
#include "compiler/llvm_versions.hpp"
#include "compiler/mpi/calls.hpp"
#include "compiler/remarks.hpp"
#include "compiler/waits/emit.hpp"
#include "compiler/waits/region.hpp"
#include "compiler/waits/versioned_calls.hpp"

namespace lapwing::compiler {

using llvm::BasicBlock;
using llvm::Instruction;

namespace {

// A call that may throw has its value on one of its ways only.
bool dominates(const Instruction* value, const BasicBlock& block, const llvm::DominatorTree& tree) {
  return tree.dominates(value, block.getTerminator());
}

}  // namespace

Way::Way(BasicBlock& begin, llvm::Loop& loop, Analyses analyses) : begin_(begin), loop_(loop), a_(analyses) {
  llvm::SmallVector<BasicBlock*, 16> work{loop.getLoopPreheader()};
  while (!work.empty()) {
    BasicBlock* block = work.pop_back_val();
    if (block == &begin || !is_on_way_.insert(block).second) continue;
    work.append(llvm::pred_begin(block), llvm::pred_end(block));
  }
  for (BasicBlock* block : llvm::ReversePostOrderTraversal(begin.getParent()))
    if (is_on_way_.contains(block)) blocks_.push_back(block);
  for (BasicBlock* block : loop.blocks()) {
    for (Instruction& i : *block) {
      const bool floating =
          llvm::getLoadStorePointerOperand(&i) && llvm::getLoadStoreType(&i)->isFPOrFPVectorTy();
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
      const bool no_request = floating || (load && is_no_request(*load));
      const auto add = [&](const llvm::MemoryLocation& where, bool written) {
        for (Place& known : places_) {
          if (known.where != where) continue;
          known.written |= written;
          known.floating &= floating;
          known.no_request &= no_request;
          return;
        }
        places_.push_back({where, written, floating, no_request});
      };
      if (llvm::isa<llvm::LoadInst>(i)) add(llvm::MemoryLocation::get(&i), false);
      if (llvm::isa<llvm::StoreInst>(i)) add(llvm::MemoryLocation::get(&i), true);
      if (const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&i))
        add(llvm::MemoryLocation::getForDest(memory), true);
      if (const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&i))
        add(llvm::MemoryLocation::getForSource(copy), false);
    }
  }
}

// An object is one piece of memory: between two places that the program has used there is nothing else.
bool Way::is_within_what_was_used(const llvm::LoadInst& load) {
  const llvm::DataLayout& layout = layout_of(*begin_.getParent());
  const auto end_of = [&](llvm::Type* type) {
    return static_cast<std::int64_t>(layout.getTypeStoreSize(type).getKnownMinValue());
  };
  const auto place_in = [&](const llvm::Value* pointer, std::int64_t& at) {
    llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    const llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, false);
    at = offset.getSExtValue();
    return base;
  };
  if (has_scalable_length(*load.getType())) return false;
  std::int64_t first = 0, low = 0, high = 0;
  const llvm::Value* base = place_in(load.getPointerOperand(), first);
  if (llvm::isa<llvm::Constant>(base)) return false;
  const std::int64_t last = first + end_of(load.getType());
  const auto may_free = [](const Instruction& i) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    // MPI_Free_mem and MPI_Win_free are among the calls of MPI's that nothing more is known of.
    const auto mpi = MpiCall::of(i);
    if (mpi && mpi->kind() != Kind::outside) return false;
    return call && !llvm::isa<llvm::IntrinsicInst>(call) && !llvm::isNoAliasCall(call) &&
           !call->hasFnAttr(llvm::Attribute::NoFree);
  };
  bool any = false;
  llvm::SmallVector<const llvm::Value*, 16> work{base};
  while (!work.empty()) {
    for (const llvm::User* user : work.pop_back_val()->users()) {
      const llvm::Value* pointer = llvm::getLoadStorePointerOperand(user);
      const auto* use = llvm::dyn_cast<Instruction>(user);
      std::int64_t at = 0;
      if (llvm::isa<llvm::GetElementPtrInst>(user) && place_in(user, at) == base) work.push_back(user);
      if (!pointer || use == &load || place_in(pointer, at) != base ||
          !dominates(use, begin_, a_.dominators) || any_between(*use, *begin_.getTerminator(), may_free))
        continue;
      const std::int64_t end = at + end_of(llvm::getLoadStoreType(const_cast<Instruction*>(use)));
      low = any ? std::min(low, at) : at;
      high = any ? std::max(high, end) : end;
      any = true;
    }
  }
  return any && low <= first && last <= high;
}

bool Way::has_early_operands(const Instruction& i) const {
  return llvm::all_of(i.operands(), [&](const llvm::Use& use) { return is_early(use.get()); });
}

bool Way::is_movable(const Instruction& i, llvm::ArrayRef<InFlight> received) {
  if (i.isTerminator() || llvm::isa<llvm::PHINode>(i) || llvm::isa<llvm::AllocaInst>(i) ||
      i.mayHaveSideEffects() || llvm::isa<llvm::DbgInfoIntrinsic>(i))
    return false;
  if (!has_early_operands(i)) return false;
  if (llvm::isa<llvm::CallBase>(i) && i.mayReadFromMemory()) return false;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
  if (i.mayReadFromMemory() && !(load && load->isSimple())) return false;
  // Where it would be computed anyhow, it may be such as not to be computed at random.
  if (!a_.post_dominators.dominates(i.getParent(), &begin_) &&
      !llvm::isSafeToSpeculativelyExecute(&i, begin_.getTerminator()) &&
      !(load && is_within_what_was_used(*load)))
    return false;
  return !load || is_settled(*load, received);
}

// Where it is known early that the program comes to a load, it is read early, and else something that is
// there.
bool Way::read_early_if_reached(llvm::LoadInst& load, llvm::ArrayRef<InFlight> received) {
  if (loop_.contains(&load) || has_scalable_length(*load.getType()) || !has_early_operands(load) ||
      load.getPointerAddressSpace() != 0 || !is_settled(load, received))
    return false;
  const auto comes = reached(*load.getParent());
  if (!comes || !*comes) return false;
  llvm::AllocaInst* instead = scratch(*begin_.getParent(), load.getType(), "lapwing.unread");
  llvm::IRBuilder<> builder(begin_.getTerminator());
  load.setOperand(0, builder.CreateSelect(*comes, load.getPointerOperand(), instead));
  load.setAlignment(std::min(load.getAlign(), instead->getAlign()));
  load.moveBefore(begin_.getTerminator());
  const llvm::AAMDNodes types = load.getAAMetadata();
  forget_promises(load);
  load.setAAMetadata(types);  // nothing else is stored where it reads instead
  return true;
}

bool Way::is_settled(const llvm::LoadInst& load, llvm::ArrayRef<InFlight> received) {
  return compiler::is_settled(load, {blocks_, loop_, received, a_.memory, a_.effects});
}

// A variable that is read twice, and on two ways, has one value.
bool Way::simplify(Instruction& i, llvm::ArrayRef<Instruction*> moved) {
  llvm::Value* same = nullptr;
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&i)) {
    same = phi->hasConstantValue();
    const auto* value = llvm::dyn_cast_or_null<Instruction>(same);
    if (!value || !dominates(value, begin_, a_.dominators)) return false;
  } else {
    const auto known = llvm::find_if(moved, [&](const Instruction* one) { return one->isIdenticalTo(&i); });
    if (known == moved.end()) return false;
    same = *known;
  }
  i.replaceAllUsesWith(same);
  i.eraseFromParent();
  return true;
}

void Way::compute_early(llvm::ArrayRef<InFlight> received) {
  llvm::SmallVector<Instruction*, 16> moved;
  llvm::SmallVector<BasicBlock*, 32> blocks(blocks_.begin(), blocks_.end());
  blocks.append(loop_.block_begin(), loop_.block_end());
  for (BasicBlock* block : blocks) {
    for (Instruction& i : llvm::make_early_inc_range(*block)) {
      if (llvm::isa<llvm::PHINode>(i)) {
        simplify(i, {});
        continue;
      }
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
          !is_movable(i, received) && !(load && read_early_if_reached(*load, received)))
        continue;
      if (i.getParent() == &begin_) continue;
      if (!a_.post_dominators.dominates(block, &begin_)) forget_promises(i);
      i.moveBefore(begin_.getTerminator());
      if (!i.mayReadFromMemory() || !simplify(i, moved)) moved.push_back(&i);
    }
  }
}

namespace {

llvm::Value* both(llvm::Value* a, llvm::Value* b, llvm::IRBuilder<>& builder) {
  return a && b ? builder.CreateAnd(a, b) : a ? a : b;
}

// The branch's way to one of its blocks, as a truth that is no poison.
llvm::Value* taken(const llvm::BranchInst& branch, unsigned successor, llvm::IRBuilder<>& builder) {
  llvm::Value* condition = builder.CreateFreeze(branch.getCondition());
  return successor == 0 ? condition : builder.CreateNot(condition);
}

}  // namespace

bool Way::is_early(const llvm::Value* value) const {
  const auto* instruction = llvm::dyn_cast<Instruction>(value);
  return !instruction || dominates(instruction, begin_, a_.dominators);
}

// Whether only a wait that has failed goes on there. Where errors end the job none does.
bool Way::is_failure(const BasicBlock& from, const BasicBlock& to) {
  for (BasicBlock* block : blocks_) {
    for (Instruction& i : *block) {
      const auto call = MpiCall::of(i);
      if (!call || (call->kind() != Kind::wait && call->kind() != Kind::waitall)) continue;
      const BasicBlock* success = way_of_success(*from.getTerminator(), call->call());
      if (!success || success == &to) continue;
      relied_on_.insert(&call->call());
      return true;
    }
  }
  return false;
}

// Of an edge, from where it starts.
std::optional<llvm::Value*> Way::passed(BasicBlock& from, BasicBlock& to) {
  if (const llvm::Loop* inner = a_.loops.getLoopFor(&from); inner != loop_.getParentLoop()) {
    while (inner->getParentLoop() != loop_.getParentLoop()) inner = inner->getParentLoop();
    BasicBlock* before = inner->getLoopPreheader();
    llvm::SmallVector<llvm::Loop::Edge, 4> exits;
    inner->getExitEdges(exits);
    const bool has_one = llvm::all_of(
        exits, [&](const auto& exit) { return exit.second == &to || is_failure(*exit.first, *exit.second); });
    return before && has_one ? reached(*before) : std::nullopt;
  }
  const auto start = reached(from);
  if (!start || from.getUniqueSuccessor()) return start;
  for (BasicBlock* other : llvm::successors(&from))
    if (other != &to && is_failure(from, *other)) return start;
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(from.getTerminator());
  if (!branch || !is_early(branch->getCondition())) return std::nullopt;
  llvm::IRBuilder<> builder(begin_.getTerminator());
  return both(*start, taken(*branch, branch->getSuccessor(0) == &to ? 0 : 1, builder), builder);
}

std::optional<llvm::Value*> Way::reached(BasicBlock& block) {
  const auto known = reached_.find(&block);
  return known != reached_.end() ? known->second : reached_[&block] = find_reached(block);
}

std::optional<llvm::Value*> Way::find_reached(BasicBlock& block) {
  if (&block == &begin_) return nullptr;
  if (a_.loops.getLoopFor(&block) != loop_.getParentLoop()) return std::nullopt;
  const auto* node = a_.dominators.getNode(&block);
  BasicBlock* above = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  if (!above) return std::nullopt;
  const bool is_beside = a_.loops.getLoopFor(above) == loop_.getParentLoop();
  if (is_beside && a_.post_dominators.dominates(&block, above)) return reached(*above);
  llvm::Value* any = nullptr;
  for (BasicBlock* before : llvm::predecessors(&block)) {
    const auto one = passed(*before, block);
    if (!one || !*one) return one;
    any = any ? llvm::IRBuilder<>(begin_.getTerminator()).CreateOr(any, *one) : *one;
  }
  return any;
}

// Where it is reached this holds; null if nothing is known.
llvm::Value* Way::may_be_reached(BasicBlock& block) {
  llvm::IRBuilder<> builder(begin_.getTerminator());
  llvm::Value* all = nullptr;
  for (BasicBlock* below = &block; below != &begin_;) {
    const auto* node = a_.dominators.getNode(below);
    if (!node || !node->getIDom()) return nullptr;
    BasicBlock* above = node->getIDom()->getBlock();
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
    for (unsigned n = 0; branch && branch->isConditional() && is_early(branch->getCondition()) && n < 2; ++n)
      if (a_.dominators.dominates(llvm::BasicBlockEdge(above, branch->getSuccessor(n)), below))
        all = both(all, taken(*branch, n, builder), builder);
    below = above;
  }
  return all;
}

bool Way::meets_loop(const Instruction& i, const Effects& effects) {
  // A completion touches requests, statuses and errors, of which none is a floating-point number.
  const auto call = MpiCall::of(i);
  if (call && is_completion(call->kind()) && !effects.ask_llvm && !(effects.seen & outside)) {
    const llvm::Value* request = call->argument(call->routine().any_request());
    return llvm::any_of(effects.touches, [&](const Touch& touch) { return meets_loop(touch, request); });
  }
  return llvm::any_of(places_, [&](const Place& place) {
    const llvm::ModRefInfo info = a_.memory.meet(i, effects, place.where);
    return llvm::isModSet(info) || (place.written && llvm::isRefSet(info));
  });
}

// Of a completion that has this request, if any.
bool Way::meets_loop(const Touch& touch, const llvm::Value* request) {
  return llvm::any_of(places_, [&](const Place& place) {
    if (request && (place.floating || (place.no_request && touch.pointer == request))) return false;
    const llvm::ModRefInfo info = a_.memory.meet(touch, place.where);
    return llvm::isModSet(info) || (place.written && llvm::isRefSet(info));
  });
}

bool Way::describe_start(const MpiCall& call, const Effects& effects, Accesses& kept, llvm::Value* where) {
  const Routine& r = call.routine();
  llvm::Value* buffer = call.argument(r.buffer);
  for (const Touch& touch : effects.touches)
    if (touch.pointer != buffer && meets_loop(touch)) return false;
  const auto element = basic_size(call, r.type);
  if (!element) return false;
  auto* word = llvm::Type::getInt64Ty(call.call().getContext());
  const llvm::SCEV* count = nullptr;
  if (const auto constant = constant_argument(call, r.count)) {
    count = a_.scev.getConstant(word, static_cast<std::uint64_t>(*constant), true);
  } else if (!call.is_fortran()) {
    count = a_.scev.getSignExtendExpr(a_.scev.getSCEV(call.argument(r.count)), word);
  }
  return count &&
         kept.add(call.call(), buffer, a_.scev.getMulExpr(count, a_.scev.getConstant(word, *element)),
                  call.kind() == Kind::irecv, where);
}

bool Way::describe(Instruction& i, Accesses& kept, Survey& survey, llvm::Value* where) {
  if (llvm::isa<llvm::DbgInfoIntrinsic>(i) || llvm::isa<llvm::PHINode>(i) || gives_back(i) || ends_life(i))
    return true;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
      intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::experimental_noalias_scope_decl)
    return declares_scopes_ = true;
  if (i.isTerminator() && !llvm::isa<llvm::CallBase>(i))
    return llvm::isa<llvm::BranchInst>(i) || llvm::isa<llvm::SwitchInst>(i);
  const Effects effects = a_.effects(i);
  const auto call = MpiCall::of(i);
  const unsigned seen = call && is_completion(call->kind()) ? effects.seen & ~completes : effects.seen;
  if ((seen & ~may_be_passed) || effects.ends_stack) return false;
  if (call && (call->kind() == Kind::isend || call->kind() == Kind::issend || call->kind() == Kind::irecv))
    return describe_start(*call, effects, kept, where);
  if (!meets_loop(i, effects)) return true;
  return !i.isTerminator() && (kept.add(i, where) || survey.add(i));
}

bool Way::describe(llvm::ArrayRef<InFlight> received, Accesses& kept, Survey& survey, std::string& why) {
  for (BasicBlock* block : blocks_) {
    llvm::Value* where = nullptr;
    bool has_where = false;
    for (Instruction& i : *block) {
      if (!has_where && (i.mayReadOrWriteMemory())) {
        where = may_be_reached(*block);
        has_where = true;
      }
      if (describe(i, kept, survey, where)) continue;
      why = "what stands before it cannot be passed, at " + place_name(i);
      return false;
    }
  }
  const bool is_known = survey.can_be_made(
      *begin_.getTerminator(), [&](BasicBlock& block) { return reached(block); },
      [&](const llvm::LoadInst& load) { return is_settled(load, received); });
  if (!is_known) why = "it is not known early what a loop before it touches";
  return is_known;
}

bool Way::could_begin_with(llvm::CallBase& wait,
                           const llvm::SmallPtrSetImpl<const Instruction*>& go_with_it) {
  if (a_.loops.getLoopFor(wait.getParent()) != loop_.getParentLoop() || !wait.use_empty()) return false;
  const Effects of_wait = a_.effects(wait);
  for (const llvm::Use& use : wait.operands()) {
    const auto* operand = llvm::dyn_cast<Instruction>(use.get());
    if (operand && !dominates(operand, begin_, a_.dominators)) return false;
  }
  const auto meets = [&](const Instruction& i) {
    if (!i.mayReadOrWriteMemory() || go_with_it.contains(&i)) return false;
    const Effects effects = a_.effects(i);
    return llvm::any_of(of_wait.touches, [&](const Touch& touch) {
      if (!touch.pointer) return true;
      const auto info = a_.memory.meet(i, effects, llvm::MemoryLocation(touch.pointer, touch.size));
      return llvm::isModSet(info) || (touch.writes && llvm::isRefSet(info));
    });
  };
  for (BasicBlock* block : blocks_) {
    for (Instruction& i : *block) {
      if (&i == &wait) return true;
      if (meets(i)) return false;
    }
  }
  return true;
}

}  // namespace lapwing::compiler
