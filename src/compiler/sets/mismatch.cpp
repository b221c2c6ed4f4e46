// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/mismatch.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "compiler/remarks.hpp"
#include "compiler/sets/collective_calls.hpp"
#include "compiler/sets/rank_values.hpp"

namespace lapwing::compiler {
namespace mismatch {

using llvm::CallBase;

constexpr int looked_at = 4;  // processes

// A call that a way makes, directly or within the call `at` of the function.
struct Made {
  std::string routine, comm;
  const llvm::Instruction* at;
};

// The calls of a way, in order where it is straight.
struct CallSequence {
  std::vector<Made> calls;
  bool straight = true;
  bool unknown = false;  ///< calls of which nothing is known may be among them

  std::vector<const Made*> on(const std::string& comm) const {
    std::vector<const Made*> found;
    for (const Made& made : calls)
      if (made.comm == comm) found.push_back(&made);
    return found;
  }
  int count(const Made& like) const {
    return static_cast<int>(std::count_if(calls.begin(), calls.end(), [&](const Made& made) {
      return made.routine == like.routine && made.comm == like.comm;
    }));
  }
};

// Where a process goes at the end of a block; null: that is not known.
struct Taken {
  const llvm::BasicBlock* next = nullptr;
  bool guessed = false;
};

class CallSequences {
 public:
  CallSequences(const Reach& reach, Uniformity& uniformity)
      : reach_(reach), model_(uniformity.model()), ranks(model_.module()) {}

  Model& model() { return model_; }

  CallSequence of(llvm::ArrayRef<llvm::BasicBlock*> blocks, const SetFlow& flow) {
    CallSequence way;
    for (llvm::BasicBlock* block : blocks) {
      way.straight = way.straight && flow.successors(block).size() <= 1;
      for (const llvm::Instruction& instruction : *block) add(instruction, &instruction, 0, &way);
    }
    return way;
  }

  // All that one of four processes comes to in the function; branches that do not depend on the rank lead
  // everywhere.
  const CallSequence& of_rank(const llvm::Function& function, int rank, const SetFlow& flow) {
    const auto [known, fresh] = of_rank_.try_emplace({&function, rank});
    if (!fresh) return known->second;
    llvm::SetVector<llvm::BasicBlock*> seen;
    seen.insert(const_cast<llvm::BasicBlock*>(&function.getEntryBlock()));
    for (std::size_t n = 0; n < seen.size(); ++n) {
      const llvm::BasicBlock* only = taken(*seen[n], rank).next;
      for (llvm::BasicBlock* next : flow.successors(seen[n]))
        if (!only || next == only) seen.insert(next);
    }
    known->second = of(seen.getArrayRef(), flow);
    return known->second;
  }

  const Taken& taken(const llvm::BasicBlock& block, int rank) {
    const auto [known, fresh] = taken_.try_emplace(&block);
    if (fresh)
      for (int one = 0; one < looked_at; ++one)
        known->second[static_cast<std::size_t>(one)] = work_out(block, one);
    return taken_.find(&block)->second[static_cast<std::size_t>(rank)];
  }

 private:
  Taken work_out(const llvm::BasicBlock& block, int rank) {
    const llvm::Instruction* branch = block.getTerminator();
    const auto* copy =
        condition_of(*branch) ? llvm::dyn_cast_or_null<llvm::Instruction>(model_.copy_of(branch)) : nullptr;
    const llvm::Value* condition = copy ? condition_of(*copy) : nullptr;
    if (!condition || ranks.ranks_in(condition).empty()) return {};
    const auto value = ranks.on_rank(condition, rank, looked_at);
    if (!value) return {};
    const bool guessed = ranks.guessed();
    if (llvm::isa<llvm::BranchInst>(branch)) return {branch->getSuccessor(*value != 0 ? 0 : 1), guessed};
    for (const auto& one : llvm::cast<llvm::SwitchInst>(branch)->cases())
      if (one.getCaseValue()->getSExtValue() == *value) return {one.getCaseSuccessor(), guessed};
    return {llvm::cast<llvm::SwitchInst>(branch)->getDefaultDest(), guessed};
  }

  void add(const llvm::Instruction& instruction, const llvm::Instruction* at, unsigned depth,
           CallSequence* way) {
    const Reaches reaches = reach_(instruction);
    if (reaches == Reaches::nothing) return;
    if (reaches == Reaches::call) {
      const auto call = GroupCall::of(instruction);
      way->calls.push_back({call->name(), comm_of(*call), at});
      return;
    }
    const llvm::Function* callee = llvm::cast<CallBase>(instruction).getCalledFunction();
    if (!callee || callee->isDeclaration() || depth >= 4) {
      way->unknown = true;
      return;
    }
    for (const llvm::BasicBlock& block : *callee) {
      if (reach_.ends(block)) continue;
      way->straight = way->straight && block.getTerminator()->getNumSuccessors() <= 1;
      for (const llvm::Instruction& inner : block) add(inner, at, depth + 1, way);
    }
  }

  // The communicator all of whose processes make the call.
  std::string comm_of(const GroupCall& call) {
    const GroupRoutine& routine = call.routine();
    if (routine.operation == "finalize") return "world";
    const auto* copy = llvm::dyn_cast_or_null<CallBase>(model_.copy_of(&call.call()));
    const bool told = routine.comm >= 0 && !routine.by_address && routine.operation != "comm_create_group" &&
                      routine.operation != "intercomm_create";
    return copy && told
               ? ranks.comm_key(copy->getArgOperand(static_cast<unsigned>(routine.comm)), routine.interface)
               : "unknown";
  }

  const Reach& reach_;
  Model& model_;
  std::map<std::pair<const llvm::Function*, int>, CallSequence> of_rank_;
  llvm::DenseMap<const llvm::BasicBlock*, std::array<Taken, looked_at>> taken_;

 public:
  RankValues ranks;
};

// The first call of `way` that `other` lacks, or that stands elsewhere there.
struct Lacking {
  const Made* made = nullptr;
  const Made* instead = nullptr;  ///< the call that the other way makes at that time
};

Lacking lacking(const CallSequence& way, const CallSequence& other, const std::set<std::string>& ranks) {
  for (const Made& made : way.calls) {
    // All processes make the calls of the world, and those of a communicator its members.
    if (made.comm != "world" && !ranks.count(made.comm)) continue;
    const int here = way.count(made), there = other.count(made);
    if (there == 0 ? !other.unknown : way.straight && other.straight && there < here) return {&made, nullptr};
  }
  if (!way.straight || !other.straight || way.unknown || other.unknown) return {};
  for (const Made& made : way.calls) {
    if (made.comm != "world" && !ranks.count(made.comm)) continue;
    const auto mine = way.on(made.comm), its = other.on(made.comm);
    for (std::size_t i = 0; i < mine.size() && i < its.size(); ++i)
      if (mine[i]->routine != its[i]->routine) return {mine[i], its[i]};
  }
  return {};
}

// As in a loop from `rank` to `rank + n`, which all leave after n rounds.
bool depends_on_both_sides(const llvm::Value& condition, RankValues& ranks) {
  const auto* question = llvm::dyn_cast<llvm::CmpInst>(&condition);
  return question && !ranks.ranks_in(question->getOperand(0)).empty() &&
         !ranks.ranks_in(question->getOperand(1)).empty();
}

}  // namespace mismatch

using namespace mismatch;

MismatchSearch::MismatchSearch(const Reach& reach, Uniformity& uniformity)
    : ways_(std::make_unique<CallSequences>(reach, uniformity)) {}

MismatchSearch::~MismatchSearch() = default;

void MismatchSearch::look(const Split& split, const SetFlow& flow, std::vector<Mismatch>* found) {
  CallSequences& ways = *ways_;
  const auto* copy = llvm::dyn_cast_or_null<llvm::Instruction>(ways.model().copy_of(split.branch));
  const llvm::Value* condition = copy ? condition_of(*copy) : nullptr;
  if (!condition) return;
  const std::set<std::string> ranks = ways.ranks.ranks_in(condition);
  if (ranks.empty() || depends_on_both_sides(*condition, ways.ranks)) return;
  std::vector<llvm::BasicBlock*> until;
  for (const Meeting& meeting : split.meetings)
    if (meeting.at && meeting.branches.size() == split.branches.size()) until.push_back(meeting.at);
  std::vector<CallSequence> all;
  for (llvm::BasicBlock* branch : split.branches) all.push_back(ways.of(flow.between(branch, until), flow));

  Lacking first;
  for (std::size_t a = 0; a < all.size() && !first.made; ++a)
    for (std::size_t b = 0; b < all.size() && !first.made; ++b)
      if (a != b) first = lacking(all[a], all[b], ranks);
  if (!first.made || !told_.insert(first.made->at).second) return;

  bool known = true, parts = false, differ = false, guessed = false;
  const llvm::Function& function = *split.branch->getFunction();
  const llvm::BasicBlock& block = *split.branch->getParent();
  for (int rank = 0; rank < looked_at && known; ++rank) {
    const Taken& way = ways.taken(block, rank);
    known = way.next != nullptr;
    guessed = guessed || way.guessed;
    parts = parts || way.next != ways.taken(block, 0).next;
    differ = differ || ways.of_rank(function, rank, flow).count(*first.made) !=
                           ways.of_rank(function, 0, flow).count(*first.made);
  }
  const bool in_order = !first.instead;
  if (known && parts && !differ && in_order) return;
  const bool certain = known && parts && !guessed;
  const auto& call = llvm::cast<CallBase>(*first.made->at);
  const bool direct = GroupCall::of(call).has_value();
  const std::string at = place_name(*split.branch);
  std::string sentence =
      first.made->routine + (direct ? "" : ", within this call,") +
      (certain ? " is not called by all processes alike" : " may not be called by all processes alike") +
      ": the branch at " + at + " depends on the rank, and another way from it ";
  sentence += in_order ? "makes fewer such calls"
                       : "first calls " + first.instead->routine + " at " + place_name(*first.instead->at);
  found->push_back({&call, std::move(sentence), certain});
}

void warn_of(std::vector<Mismatch> mismatches) {
  std::stable_sort(mismatches.begin(), mismatches.end(),
                   [](const Mismatch& a, const Mismatch& b) { return a.certain && !b.certain; });
  for (const Mismatch& one : mismatches) warn_at(*one.call, one.sentence);
}

}  // namespace lapwing::compiler
