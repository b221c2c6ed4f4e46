// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/mismatch.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <optional>
#include <string>

#include "compiler/remarks.hpp"
#include "compiler/sets/collective_calls.hpp"
#include "compiler/sets/rank_values.hpp"

namespace lapwing::compiler {
namespace {

using llvm::CallBase;

constexpr int looked_at = 4;  // processes

// A call that a way makes, directly or within the call `at` of the function.
struct Made {
  std::string routine, comm;
  const llvm::Instruction* at;
};

// The calls of a way, in order where it is straight.
struct Way {
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

class Ways {
 public:
  Ways(const SetFlow& flow, const Reach& reach, Uniformity& uniformity)
      : flow_(flow), reach_(reach), model_(uniformity.model()), ranks(model_.module()) {}

  Way of(llvm::ArrayRef<llvm::BasicBlock*> blocks) {
    Way way;
    for (llvm::BasicBlock* block : blocks) {
      way.straight = way.straight && flow_.successors(block).size() <= 1;
      for (const llvm::Instruction& instruction : *block) add(instruction, &instruction, 0, &way);
    }
    return way;
  }

  // All that one of four processes comes to in the function; branches that do not depend on the rank lead
  // everywhere.
  Way of_rank(const llvm::Function& function, int rank) {
    llvm::SetVector<llvm::BasicBlock*> seen;
    seen.insert(const_cast<llvm::BasicBlock*>(&function.getEntryBlock()));
    for (std::size_t n = 0; n < seen.size(); ++n) {
      const llvm::BasicBlock* only = taken(*seen[n], rank);
      for (llvm::BasicBlock* next : flow_.successors(seen[n]))
        if (!only || next == only) seen.insert(next);
    }
    return of(seen.getArrayRef());
  }

  // The way that a process takes at the end of a block; null if that is not known.
  const llvm::BasicBlock* taken(const llvm::BasicBlock& block, int rank) {
    const llvm::Instruction* branch = block.getTerminator();
    const auto* copy = llvm::dyn_cast_or_null<llvm::Instruction>(model_.copy_of(branch));
    const llvm::Value* condition = copy && condition_of(*branch) ? condition_of(*copy) : nullptr;
    if (!condition || ranks.ranks_in(condition).empty()) return nullptr;
    const auto value = ranks.on_rank(condition, rank, looked_at);
    if (!value) return nullptr;
    if (llvm::isa<llvm::BranchInst>(branch)) return branch->getSuccessor(*value != 0 ? 0 : 1);
    for (const auto& one : llvm::cast<llvm::SwitchInst>(branch)->cases())
      if (one.getCaseValue()->getSExtValue() == *value) return one.getCaseSuccessor();
    return llvm::cast<llvm::SwitchInst>(branch)->getDefaultDest();
  }

 private:
  void add(const llvm::Instruction& instruction, const llvm::Instruction* at, unsigned depth, Way* way) {
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

  const SetFlow& flow_;
  const Reach& reach_;
  Model& model_;

 public:
  RankValues ranks;
};

// The first call of `way` that `other` lacks, or that stands elsewhere there.
struct Lacking {
  const Made* made = nullptr;
  const Made* instead = nullptr;  ///< the call that the other way makes at that time
};

Lacking lacking(const Way& way, const Way& other, const std::set<std::string>& ranks) {
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

}  // namespace

void find_mismatches(const Split& split, const SetFlow& flow, const Reach& reach, Uniformity& uniformity,
                     llvm::SmallPtrSetImpl<const llvm::Instruction*>& told, std::vector<Mismatch>* found) {
  const auto* copy = llvm::dyn_cast_or_null<llvm::Instruction>(uniformity.model().copy_of(split.branch));
  const llvm::Value* condition = copy ? condition_of(*copy) : nullptr;
  if (!condition) return;
  Ways ways(flow, reach, uniformity);
  const std::set<std::string> ranks = ways.ranks.ranks_in(condition);
  if (ranks.empty() || depends_on_both_sides(*condition, ways.ranks)) return;
  std::vector<llvm::BasicBlock*> until;
  for (const Meeting& meeting : split.meetings)
    if (meeting.at && meeting.branches.size() == split.branches.size()) until.push_back(meeting.at);
  std::vector<Way> all;
  for (llvm::BasicBlock* branch : split.branches) all.push_back(ways.of(flow.between(branch, until)));

  Lacking first;
  for (std::size_t a = 0; a < all.size() && !first.made; ++a)
    for (std::size_t b = 0; b < all.size() && !first.made; ++b)
      if (a != b) first = lacking(all[a], all[b], ranks);
  if (!first.made || !told.insert(first.made->at).second) return;

  bool known = true, parts = false, differ = false, guessed = false;
  std::optional<Way> of_first;
  const llvm::BasicBlock* way_of_first = nullptr;
  for (int rank = 0; rank < looked_at && known; ++rank) {
    const llvm::BasicBlock* way = ways.taken(*split.branch->getParent(), rank);
    known = way != nullptr;
    guessed = guessed || ways.ranks.guessed();
    const Way whole = ways.of_rank(*split.branch->getFunction(), rank);
    if (!of_first) {
      of_first = whole;
      way_of_first = way;
    }
    parts = parts || way != way_of_first;
    differ = differ || whole.count(*first.made) != of_first->count(*first.made);
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
