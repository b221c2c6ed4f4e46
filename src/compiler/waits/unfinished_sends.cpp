// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/unfinished_sends.hpp"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

#include <vector>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/waits/matching.hpp"

namespace lapwing::compiler {
namespace {

using llvm::Instruction;

struct Send {
  const Instruction* start;
  llvm::MemoryLocation request;
  std::optional<llvm::MemoryLocation> buffer;  ///< none: anything that others reach
};

// Instructions that are reached from some others, but not over the send's next start.
class Reach {
 public:
  // `forward`: not by the back edges of loops.
  Reach(llvm::ArrayRef<const Instruction*> from, const Instruction& start, const llvm::DominatorTree& tree,
        bool forward)
      : from_(from.begin(), from.end()), start_(start) {
    llvm::SmallVector<const llvm::BasicBlock*, 16> work;
    const auto leave = [&](const llvm::BasicBlock* block) {
      for (const llvm::BasicBlock* next : llvm::successors(block)) {
        if (!(forward && tree.dominates(next, block)) && entered_.insert(next).second) work.push_back(next);
      }
    };
    for (const Instruction* i : from_)
      if (!is_cut(*i, i->getParent()->back())) leave(i->getParent());
    while (!work.empty()) {
      const llvm::BasicBlock* block = work.pop_back_val();
      if (block != start_.getParent()) leave(block);
    }
  }

  bool contains(const Instruction& i) const {
    const llvm::BasicBlock* block = i.getParent();
    if (entered_.contains(block) && !(block == start_.getParent() && start_.comesBefore(&i))) return true;
    return llvm::any_of(from_, [&](const Instruction* from) {
      return from->getParent() == block && from->comesBefore(&i) && !is_cut(*from, i);
    });
  }

 private:
  bool is_cut(const Instruction& from, const Instruction& to) const {
    return start_.getParent() == to.getParent() && from.comesBefore(&start_) && start_.comesBefore(&to);
  }

  llvm::SmallVector<const Instruction*, 4> from_;
  const Instruction& start_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 32> entered_;
};

// Where a send is unfinished: reached, but not over a wait.
class Unfinished {
 public:
  Unfinished(const Send& send, llvm::ArrayRef<const Instruction*> waits, const llvm::DominatorTree& tree)
      : forward_(send.start, *send.start, tree, true),
        any_(send.start, *send.start, tree, false),
        waited_forward_(reached(waits, forward_), *send.start, tree, true),
        waited_any_(reached(waits, any_), *send.start, tree, false) {}

  bool at(const Instruction& i) const {
    if (forward_.contains(i)) return !waited_forward_.contains(i);
    return any_.contains(i) && !waited_any_.contains(i);
  }

 private:
  static llvm::SmallVector<const Instruction*, 4> reached(llvm::ArrayRef<const Instruction*> waits,
                                                          const Reach& reach) {
    llvm::SmallVector<const Instruction*, 4> those;
    llvm::copy_if(waits, std::back_inserter(those), [&](const Instruction* i) { return reach.contains(*i); });
    return those;
  }

  Reach forward_, any_, waited_forward_, waited_any_;
};

class UnfinishedFinder {
 public:
  UnfinishedFinder(llvm::Function& function, Memory& memory, EffectsOf& effects,
                   const llvm::DominatorTree& tree)
      : function_(function), memory_(memory), effects_(effects), tree_(tree) {}

  Instructions run() {
    look();
    if (sends_.empty()) return {};
    list_writers();
    for (const Send& send : sends_) {
      llvm::SmallVector<const Instruction*, 4> waits;
      for (const MpiCall& wait : waits_)
        if (memory_.may_alias(requests_of(wait), send.request)) waits.push_back(&wait.call());
      const Unfinished unfinished(send, waits, tree_);
      if (is_lost(send, unfinished)) {
        find_writes(send, Unfinished(send, {}, tree_));
      } else {
        find_writes(send, unfinished);
      }
    }
    return std::move(writes_);
  }

 private:
  // Persistent sends are described where they are made, and begin where they are started.
  void look() {
    std::vector<MpiCall> made, started;
    for (const Instruction& i : llvm::instructions(function_)) {
      const auto call = MpiCall::of(i);
      if (!call) continue;
      const Kind kind = call->kind();
      if (kind == Kind::isend || kind == Kind::issend) add(*call, *call);
      if (kind == Kind::isend || kind == Kind::issend || kind == Kind::irecv) starts_.push_back(*call);
      if (kind == Kind::send_init) made.push_back(*call);
      if (kind == Kind::start || kind == Kind::startall) started.push_back(*call);
      if (kind == Kind::wait || kind == Kind::waitall) waits_.push_back(*call);
    }
    for (const MpiCall& send : made)
      for (const MpiCall& start : started)
        if (memory_.may_alias(requests_of(send), requests_of(start))) add(send, start);
  }

  void add(const MpiCall& described, const MpiCall& start) {
    Send send{&start.call(), requests_of(start), {}};
    const Routine& r = described.routine();
    const llvm::Value* pointer = described.argument(r.buffer);
    if (!may_be_bottom(pointer)) {
      send.buffer = llvm::MemoryLocation(pointer, message_size(described, r.count, r.type));
      if (described.is_fortran()) send.buffer->AATags.TBAA = type_of_variable(pointer, function_);
    }
    sends_.push_back(send);
  }

  // Another's request takes the place of its own: what waits there waits for that one.
  bool is_lost(const Send& send, const Unfinished& unfinished) {
    return is_same_in_all_rounds(send.request.Ptr) && llvm::any_of(starts_, [&](const MpiCall& other) {
             return memory_.must_alias(requests_of(other), send.request) && unfinished.at(other.call());
           });
  }

  // Instructions that stop any wait are left out.
  void list_writers() {
    for (const Instruction& i : llvm::instructions(function_)) {
      if (!i.mayWriteToMemory()) continue;
      Effects effects = effects_(i);
      if (effects.seen & outside) continue;
      if (const auto call = MpiCall::of(i)) keep_what_it_receives(*call, effects);
      writers_.emplace_back(&i, std::move(effects));
    }
  }

  // No program keeps its requests, statuses and errors in a message that it sends.
  static void keep_what_it_receives(const MpiCall& call, Effects& effects) {
    const Routine& r = call.routine();
    if (r.kind == Kind::collective) return;
    llvm::erase_if(effects.touches, [&](const Touch& touch) {
      const bool is_buffer = (r.buffer >= 0 && touch.pointer == call.argument(r.buffer)) ||
                             (r.receive >= 0 && touch.pointer == call.argument(r.receive));
      return touch.pointer && !is_buffer;
    });
  }

  void find_writes(const Send& send, const Unfinished& unfinished) {
    for (const auto& [writer, effects] : writers_) {
      const Instruction& i = *writer;
      if (writes_.contains(writer) || !unfinished.at(i)) continue;
      const bool writes = send.buffer ? llvm::isModSet(memory_.meet(i, effects, *send.buffer))
                                      : reaches_others(i, effects, false);
      if (writes) writes_.insert(writer);
    }
  }

  llvm::Function& function_;
  Memory& memory_;
  EffectsOf& effects_;
  const llvm::DominatorTree& tree_;
  std::vector<Send> sends_;
  std::vector<MpiCall> starts_, waits_;
  std::vector<std::pair<const Instruction*, Effects>> writers_;
  Instructions writes_;
};

}  // namespace

Instructions find_writes_of_unfinished(llvm::Function& function, Memory& memory, EffectsOf& effects,
                                       const llvm::DominatorTree& dominators) {
  return UnfinishedFinder(function, memory, effects, dominators).run();
}

}  // namespace lapwing::compiler
