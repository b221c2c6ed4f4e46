// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/mismatch.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <map>
#include <string>

#include "compiler/remarks.hpp"
#include "compiler/sets/collective_calls.hpp"
#include "compiler/sets/communicator_hints.hpp"
#include "compiler/sets/place_constants.hpp"

namespace lapwing::compiler {
namespace {

using llvm::CallBase;
using llvm::Value;

// --- what depends on the rank --------------------------------------------------

bool tells_rank(const CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee) return false;
  const std::string name = routine_name(callee->getName());
  return name == "comm_rank" || name == "group_rank";
}

class RankTrail {
 public:
  explicit RankTrail(const llvm::Module& module) : module_(module) {}

  bool leads_to(const Value* value) {
    if (!seen_.insert(value).second || seen_.size() > most) return false;
    if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) return of_argument(*argument);
    const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
    if (!i) return false;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(i)) return of_memory(load->getPointerOperand());
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(i)) {
      for (const llvm::BasicBlock* from : phi->blocks()) {
        const auto* br = llvm::dyn_cast<llvm::BranchInst>(from->getTerminator());
        if (br && br->isConditional() && leads_to(br->getCondition())) return true;
        const llvm::BasicBlock* before = from->getSinglePredecessor();
        br = before ? llvm::dyn_cast<llvm::BranchInst>(before->getTerminator()) : nullptr;
        if (br && br->isConditional() && leads_to(br->getCondition())) return true;
      }
    }
    // The result of a function is not followed, nor what it is given.
    if (llvm::isa<CallBase>(i) && !llvm::cast<CallBase>(i)->doesNotAccessMemory()) return false;
    for (const Value* operand : i->operands())
      if (leads_to(operand)) return true;
    return false;
  }

 private:
  static constexpr unsigned most = 2000;

  bool of_argument(const llvm::Argument& argument) {
    for (const llvm::User* user : argument.getParent()->users()) {
      const auto* call = llvm::dyn_cast<CallBase>(user);
      if (call && call->getCalledOperand() == argument.getParent() &&
          call->arg_size() > argument.getArgNo() && leads_to(call->getArgOperand(argument.getArgNo())))
        return true;
    }
    return false;
  }

  // A variable that MPI puts the rank into, or what depends on it is stored to.
  bool of_memory(const Value* address) {
    const Value* object = llvm::getUnderlyingObject(address);
    if (!llvm::isa<llvm::AllocaInst>(object) && !llvm::isa<llvm::GlobalVariable>(object)) return false;
    if (!seen_.insert(object).second) return false;
    for (const llvm::Function& function : module_) {
      const auto* local = llvm::dyn_cast<llvm::AllocaInst>(object);
      if (function.isDeclaration() || (local && local->getFunction() != &function)) continue;
      for (const llvm::Instruction& i : llvm::instructions(function)) {
        if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
          if (same_place(store->getPointerOperand(), address) && leads_to(store->getValueOperand()))
            return true;
        } else if (const auto* call = llvm::dyn_cast<CallBase>(&i); call && tells_rank(*call)) {
          if (call->arg_size() > 1 && same_place(call->getArgOperand(1), address)) return true;
        }
      }
    }
    return false;
  }

  bool same_place(const Value* a, const Value* b) const {
    const llvm::DataLayout& layout = module_.getDataLayout();
    llvm::APInt of_a(64, 0), of_b(64, 0);
    const Value* base_a = a->stripAndAccumulateConstantOffsets(layout, of_a, true);
    const Value* base_b = b->stripAndAccumulateConstantOffsets(layout, of_b, true);
    return base_a == base_b && of_a == of_b;
  }

  const llvm::Module& module_;
  llvm::SmallPtrSet<const Value*, 32> seen_;
};

// --- what a way makes -------------------------------------------------------------

struct Made {
  const llvm::Instruction* first = nullptr;
  int count = 0;
};
using Calls = std::map<std::string, Made>;

std::string comm_name(const GroupCall& call, Uniformity& uniformity) {
  if (!call.comm()) return {};
  switch (known_comm(call.comm(), call.routine().interface)) {
    case KnownComm::world:
      return "world";
    case KnownComm::self:
      return "self";
    default:
      break;
  }
  CommHint hint;
  if (!comm_of_call(call, uniformity, &hint)) return "?";
  return std::to_string(reinterpret_cast<std::uintptr_t>(hint.base)) + "+" + std::to_string(hint.offset);
}

void add_calls(const llvm::Instruction& instruction, const Reach& reach, Uniformity& uniformity,
               const llvm::Instruction* at, unsigned depth, Calls* calls);

void add_calls_of(const llvm::Function& function, const Reach& reach, Uniformity& uniformity,
                  const llvm::Instruction* at, unsigned depth, Calls* calls) {
  for (const llvm::BasicBlock& block : function) {
    if (reach.ends(block)) continue;
    for (const llvm::Instruction& instruction : block)
      add_calls(instruction, reach, uniformity, at, depth, calls);
  }
}

// Calls of which nothing is known make none.
void add_calls(const llvm::Instruction& instruction, const Reach& reach, Uniformity& uniformity,
               const llvm::Instruction* at, unsigned depth, Calls* calls) {
  const Reaches reaches = reach(instruction);
  if (reaches == Reaches::nothing) return;
  if (reaches == Reaches::through) {
    const llvm::Function* callee = llvm::cast<CallBase>(instruction).getCalledFunction();
    if (callee && !callee->isDeclaration() && depth < 4)
      add_calls_of(*callee, reach, uniformity, at, depth + 1, calls);
    return;
  }
  const auto call = GroupCall::of(instruction);
  Made& made = (*calls)[call->name() + " " + comm_name(*call, uniformity)];
  if (!made.first) made.first = at;
  ++made.count;
}

Calls calls_of(const Split& split, unsigned branch, const SetFlow& flow, const Reach& reach,
               Uniformity& uniformity) {
  std::vector<llvm::BasicBlock*> until;
  for (const Meeting& meeting : split.meetings)
    if (meeting.at && meeting.branches.size() == split.branches.size()) until.push_back(meeting.at);
  Calls calls;
  for (llvm::BasicBlock* block : flow.between(split.branches[branch], until)) {
    for (const llvm::Instruction& instruction : *block)
      add_calls(instruction, reach, uniformity, &instruction, 0, &calls);
  }
  return calls;
}

}  // namespace

bool depends_on_rank(const llvm::Instruction& branch, Model& model) {
  const Value* condition = nullptr;
  if (const auto* br = llvm::dyn_cast<llvm::BranchInst>(&branch)) {
    condition = br->isConditional() ? br->getCondition() : nullptr;
  } else if (const auto* jump = llvm::dyn_cast<llvm::SwitchInst>(&branch)) {
    condition = jump->getCondition();
  }
  return condition && RankTrail(model.module()).leads_to(condition);
}

void warn_of_mismatch(const Split& split, const SetFlow& flow, const Reach& reach, Uniformity& uniformity,
                      llvm::SmallPtrSetImpl<const llvm::Instruction*>& told) {
  const auto* copy = llvm::dyn_cast_or_null<llvm::Instruction>(uniformity.model().copy_of(split.branch));
  if (!copy || !depends_on_rank(*copy, uniformity.model())) return;
  std::vector<Calls> ways;
  for (unsigned b = 0; b < split.branches.size(); ++b)
    ways.push_back(calls_of(split, b, flow, reach, uniformity));
  for (unsigned b = 0; b < ways.size(); ++b) {
    for (const auto& [name, made] : ways[b]) {
      const bool missed = std::any_of(ways.begin(), ways.end(), [&](const Calls& other) {
        const auto same = other.find(name);
        return same == other.end() || same->second.count < made.count;
      });
      const std::string routine = name.substr(0, name.find(' '));
      if (!missed || !told.insert(made.first).second) continue;
      const auto direct = GroupCall::of(*made.first);
      warn(llvm::cast<CallBase>(*made.first),
           routine + (direct ? "" : ", within this call,") +
               " is not called by all processes alike: the branch at " + place_name(*split.branch) +
               " depends on the rank, and another way from it makes fewer such calls");
      return;
    }
  }
}

}  // namespace lapwing::compiler
