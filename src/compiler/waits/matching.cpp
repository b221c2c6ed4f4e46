// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/matching.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <memory>
#include <utility>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/alias/loaded_value.hpp"
#include "compiler/waits/known_question.hpp"
#include "compiler/waits/request_loops.hpp"

namespace lapwing::compiler {
namespace {

class Matcher {
 public:
  Matcher(const MpiCall& wait, Memory& memory, EffectsOf& effects)
      : wait_(wait), where_(requests_of(wait)), memory_(memory), effects_(effects) {
    object_ = only_object(where_.Ptr);
  }

  Match run() {
    llvm::Instruction* from = &wait_.call();
    if (KnownQuestion::may_be_in(*from->getFunction()))
      question_ = KnownQuestion::above(*from->getParent(), dominators());
    if (wait_.kind() == Kind::wait) asked_ = AskedBefore::above(*from->getParent(), dominators());
    back(from->getPrevNode(), *from->getParent());
    go_on();
    // Above the join of the question that is known at the wait, or where it was asked first, all ways are
    // possible again, once more through it, too.
    while (!above_question_.empty()) {
      question_.reset();
      if (asked_ && llvm::is_contained(above_question_, asked_->first)) asked_.reset();
      entered_.clear();
      for (llvm::BasicBlock* block : std::exchange(above_question_, {}))
        if (entered_.insert(block).second) work_.push_back(block);
      go_on();
    }
    if (match_.failure.empty() && match_.starts.empty()) {
      match_.never_started = is_private(object_) && !made_idle_ && wait_.kind() == Kind::wait;
      fail("no start of its request is in sight", nullptr);
    }
    if (match_.failure.empty() && restarted_) find_persistent();
    return std::move(match_);
  }

 private:
  // An empty array of requests may have no memory at all.
  static const llvm::Value* only_object(const llvm::Value* requests) {
    llvm::SmallVector<const llvm::Value*, 4> objects;
    llvm::getUnderlyingObjects(requests, objects);
    llvm::erase_if(objects, [](const llvm::Value* one) { return llvm::isa<llvm::ConstantPointerNull>(one); });
    return objects.size() == 1 ? objects.front() : llvm::getUnderlyingObject(requests);
  }

  void fail(std::string why, llvm::Instruction* at) {
    if (!match_.failure.empty()) return;
    match_.failure = std::move(why);
    match_.where = at;
  }

  void go_on() {
    while (match_.failure.empty() && !work_.empty()) {
      llvm::BasicBlock* block = work_.pop_back_val();
      back(block->getTerminator(), *block);
    }
  }

  void back(llvm::Instruction* last, llvm::BasicBlock& block) {
    for (llvm::Instruction* i = last; i; i = i->getPrevNode()) {
      if (!step(*i)) return;
    }
    if (&block == &block.getParent()->getEntryBlock()) {
      // A request that lives longer may have been put in flight anywhere.
      if (!llvm::isa<llvm::AllocaInst>(object_)) starts_elsewhere();
      return;
    }
    // Where there is no memory there is no request.
    const auto* chosen = llvm::dyn_cast<llvm::PHINode>(llvm::getUnderlyingObject(where_.Ptr));
    const bool chooses = chosen && chosen->getParent() == &block;
    for (llvm::BasicBlock* before : llvm::predecessors(&block)) {
      // Each request of the wait's loop was started in this one: what came before does not matter.
      if (all_started_.contains(&block) && !dominators().dominates(&block, before)) continue;
      if (chooses && llvm::isa<llvm::ConstantPointerNull>(chosen->getIncomingValueForBlock(before))) continue;
      if (asked_ && asked_->next.contains(before) && asked_->next.lookup(before) != &block) continue;
      if (question_ && question_->join == &block) {
        if (question_->from.contains(before)) above_question_.insert(before);
      } else if (asked_ && asked_->first == before) {
        above_question_.insert(before);
      } else if (entered_.insert(before).second) {
        work_.push_back(before);
      }
    }
  }

  // A request of this file's own that no pointer leads to: whoever starts it can
  // be seen, and what it sends must be an object that this function knows too.
  void starts_elsewhere() {
    if (looked_elsewhere_) return;
    looked_elsewhere_ = true;
    const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object_);
    if (!global || !global->hasLocalLinkage() || !is_only_requests(*global)) {
      fail("its request may be started in another function", nullptr);
      return;
    }
    for (const llvm::Function& function : *wait_.call().getModule()) {
      const bool own = &function == wait_.call().getFunction();
      for (const llvm::Instruction& i : llvm::instructions(function)) {
        const auto call = MpiCall::of(i);
        if (!call || (call->routine().any_request() < 0)) continue;
        const Routine& r = call->routine();
        const llvm::Value* request = call->argument(r.any_request());
        if (llvm::getUnderlyingObject(request) != global) continue;
        if (r.kind == Kind::isend || r.kind == Kind::issend || r.kind == Kind::irecv) {
          if (!llvm::isa<llvm::GlobalVariable>(llvm::getUnderlyingObject(call->argument(r.buffer)))) {
            fail(own ? "its request may be started in an earlier call of this function"
                     : "its request is started in another function, with a buffer that is not known here",
                 nullptr);
            return;
          }
          // Also behind this wait, in an earlier call of this very function.
          (own ? match_.of_earlier_calls : match_.buffers).push_back(&call->call());
          add_once(match_.starts, call->call());
        } else if (r.kind != Kind::wait && r.kind != Kind::waitall && r.kind != Kind::wait_some &&
                   r.kind != Kind::test) {
          fail("its request is handled in another function", nullptr);
          return;
        }
      }
    }
  }

  // Loads, constants and MPI calls only: no pointer to it gets anywhere.
  static bool is_only_requests(const llvm::GlobalVariable& global) {
    llvm::SmallVector<const llvm::User*, 16> work(global.users());
    while (!work.empty()) {
      const llvm::User* user = work.pop_back_val();
      if (llvm::isa<llvm::GetElementPtrInst>(user) || llvm::isa<llvm::GEPOperator>(user)) {
        work.append(user->user_begin(), user->user_end());
        continue;
      }
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
      if (store && llvm::isa<llvm::ConstantData>(store->getValueOperand())) continue;
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
      const auto call = instruction ? MpiCall::of(*instruction) : std::nullopt;
      if (!call || call->kind() == Kind::outside) return false;
    }
    return true;
  }

  // False where the request is known to be what this instruction made it.
  bool step(llvm::Instruction& i) {
    if (&i == object_ && !llvm::isa<llvm::AllocaInst>(i)) return !llvm::isNoAliasCall(&i);  // fresh memory
    if (writes_floating_numbers(i)) return true;  // no request is one
    const Effects effects = effects_(i);
    if (!llvm::isModSet(memory_.meet(i, effects, where_))) return true;
    if (const auto call = MpiCall::of(i)) {
      const Routine& r = call->routine();
      const bool certain = r.request >= 0 && same_request(call->argument(r.request));
      switch (r.kind) {
        case Kind::isend:
        case Kind::issend:
        case Kind::irecv:
          if (meets(*call)) {
            add_once(match_.starts, call->call());
            add_once(match_.buffers, call->call());
          }
          note_loop(*call);
          return !certain;
        case Kind::start:
        case Kind::startall:
          if (!meets(*call)) return true;
          add_once(match_.starts, call->call());
          restarted_ = true;
          return !certain;
        case Kind::send_init:
        case Kind::recv_init:
        case Kind::wait:
        case Kind::request_free:
          made_idle_ = true;
          return !certain;
        case Kind::waitall:
        case Kind::wait_some:
        case Kind::test:
          return made_idle_ = true;
        case Kind::token_wait:
        case Kind::token_start:  // its buffer may alias the request in wrong code only
          return true;
        case Kind::cancel:
          fail("its request is cancelled", &i);
          return false;
        default:
          break;
      }
    }
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) {
      // Of a request that was chosen among several, one begins to live.
      if (intrinsic->isLifetimeStartOrEnd())
        return llvm::getUnderlyingObject(intrinsic->getArgOperand(1)) != object_;
      if (llvm::isa<llvm::MemSetInst>(intrinsic)) return made_idle_ = true;
    }
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
      if (llvm::isa<llvm::Constant>(store->getValueOperand())) {
        made_idle_ = true;
        return !same_request(store->getPointerOperand());  // of several the others stay
      }
      fail("its request is copied from elsewhere", &i);
      return false;
    }
    if (llvm::isa<llvm::CallBase>(i) && llvm::isa<llvm::GlobalVariable>(object_)) {
      starts_elsewhere();  // in what is called here, or in what that calls back
      return match_.failure.empty();
    }
    fail(std::string("its request may be changed here, by ") + (effects.why ? effects.why : "another access"),
         &i);
    return false;
  }

  bool same_request(const llvm::Value* request) const {
    return is_same_in_all_rounds(request) && wait_.kind() == Kind::wait &&
           request->stripPointerCasts() == where_.Ptr->stripPointerCasts();
  }

  const llvm::DominatorTree& dominators() {
    if (!dominators_) dominators_ = std::make_unique<llvm::DominatorTree>(*wait_.call().getFunction());
    return *dominators_;
  }

  void note_loop(const MpiCall& start) {
    if (wait_.kind() != Kind::wait) return;
    if (loops_.empty()) loops_.analyze(dominators());
    const auto changes = [this](const llvm::Instruction& i, const llvm::LoadInst& load) {
      return may_change(i, load, memory_, effects_);
    };
    if (const auto* header = loop_that_starts_all(start, wait_, loops_, dominators(), changes))
      all_started_.insert(header);
  }

  bool meets(const MpiCall& start) { return memory_.may_alias(requests_of(start), where_); }

  // A start may be met on both sides of the known question, and in starts_elsewhere().
  static void add_once(llvm::SmallVectorImpl<llvm::CallBase*>& all, llvm::CallBase& call) {
    if (!llvm::is_contained(all, &call)) all.push_back(&call);
  }

  // Which buffers a restarted request has, is said where it was made.
  void find_persistent() {
    bool found = false;
    for (llvm::Instruction& i : llvm::instructions(*wait_.call().getFunction())) {
      if (!llvm::isModSet(memory_.meet(i, effects_(i), where_))) continue;
      const auto call = MpiCall::of(i);
      const bool made = call && (call->kind() == Kind::send_init || call->kind() == Kind::recv_init);
      if (made && meets(*call)) {
        match_.buffers.push_back(&call->call());
        found = true;
        continue;
      }
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
      if (store && llvm::isa<llvm::Constant>(store->getValueOperand())) continue;
      if (i.isLifetimeStartOrEnd() || llvm::isa<llvm::MemSetInst>(i)) continue;
      if (!call || call->routine().any_request() < 0) fail("its persistent request may be made here", &i);
    }
    if (!found || !llvm::isa<llvm::AllocaInst>(object_))
      fail("its persistent request is made in another function", nullptr);
  }

  const MpiCall& wait_;
  llvm::MemoryLocation where_;
  const llvm::Value* object_;
  Memory& memory_;
  EffectsOf& effects_;
  Match match_;
  bool restarted_ = false;
  bool made_idle_ = false;  // null or inactive: MPI permits a wait for such a request
  bool looked_elsewhere_ = false;
  std::optional<KnownQuestion> question_;  // until its join is behind
  std::optional<AskedBefore> asked_;       // likewise
  llvm::SmallSetVector<llvm::BasicBlock*, 4> above_question_;
  std::unique_ptr<llvm::DominatorTree> dominators_;  // once it is asked for
  llvm::LoopInfo loops_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 2> all_started_;  // headers of loops
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> entered_;
  llvm::SmallVector<llvm::BasicBlock*, 16> work_;
};

}  // namespace

llvm::MemoryLocation requests_of(const MpiCall& wait) {
  return llvm::MemoryLocation(wait.argument(wait.routine().any_request()), requests_size(wait));
}

Match match(const MpiCall& wait, Memory& memory, EffectsOf& effects) {
  return Matcher(wait, memory, effects).run();
}

}  // namespace lapwing::compiler
