// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/rank_values.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/sets/collective_calls.hpp"

namespace lapwing::compiler {
namespace {

using llvm::CallBase;
using llvm::Value;

// Sums and products of a program's constants may wrap around.
std::optional<std::int64_t> operate(unsigned opcode, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (opcode) {
    case llvm::Instruction::Add:
      return static_cast<std::int64_t>(x + y);
    case llvm::Instruction::Sub:
      return static_cast<std::int64_t>(x - y);
    case llvm::Instruction::Mul:
      return static_cast<std::int64_t>(x * y);
    case llvm::Instruction::SDiv:
      return b > 0 ? std::optional(a / b) : std::nullopt;
    case llvm::Instruction::UDiv:
      return a >= 0 && b > 0 ? std::optional(a / b) : std::nullopt;
    case llvm::Instruction::SRem:
      return b > 0 ? std::optional(a % b) : std::nullopt;
    case llvm::Instruction::URem:
      return a >= 0 && b > 0 ? std::optional(a % b) : std::nullopt;
    case llvm::Instruction::And:
      return a & b;
    case llvm::Instruction::Or:
      return a | b;
    case llvm::Instruction::Xor:
      return a ^ b;
    case llvm::Instruction::AShr:
      return b >= 0 && b < 32 ? std::optional(a >> b) : std::nullopt;
    case llvm::Instruction::LShr:
      return a >= 0 && b >= 0 && b < 32 ? std::optional(a >> b) : std::nullopt;
    case llvm::Instruction::Shl:
      return b >= 0 && b < 32 ? std::optional(a << b) : std::nullopt;
    default:
      return {};
  }
}

// Numbers are sign-extended, which keeps the order of unsigned ones: `rank - 1` is large on rank 0.
bool compare(llvm::CmpInst::Predicate predicate, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (predicate) {
    case llvm::CmpInst::ICMP_EQ:
      return a == b;
    case llvm::CmpInst::ICMP_NE:
      return a != b;
    case llvm::CmpInst::ICMP_SLT:
      return a < b;
    case llvm::CmpInst::ICMP_ULT:
      return x < y;
    case llvm::CmpInst::ICMP_SLE:
      return a <= b;
    case llvm::CmpInst::ICMP_ULE:
      return x <= y;
    case llvm::CmpInst::ICMP_SGT:
      return a > b;
    case llvm::CmpInst::ICMP_UGT:
      return x > y;
    case llvm::CmpInst::ICMP_UGE:
      return x >= y;
    default:
      return a >= b;
  }
}

}  // namespace

const Value* condition_of(const llvm::Instruction& branch) {
  if (const auto* br = llvm::dyn_cast<llvm::BranchInst>(&branch))
    return br->isConditional() ? br->getCondition() : nullptr;
  const auto* jump = llvm::dyn_cast<llvm::SwitchInst>(&branch);
  return jump ? jump->getCondition() : nullptr;
}

RankValues::RankValues(const llvm::Module& module) : module_(module) {
  const auto note = [&](const Value* address, const llvm::Instruction& user) {
    llvm::APInt offset(64, 0);
    std::vector<const llvm::Instruction*>& all =
        users_[address->stripAndAccumulateConstantOffsets(module.getDataLayout(), offset, true)];
    if (all.empty() || all.back() != &user) all.push_back(&user);
  };
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& i : llvm::instructions(function)) {
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
        note(store->getPointerOperand(), i);
      } else if (const auto* call = llvm::dyn_cast<CallBase>(&i)) {
        for (const llvm::Use& given : call->args())
          if (given->getType()->isPointerTy()) note(given, i);
      }
    }
  }
}

const std::vector<const llvm::Instruction*>& RankValues::users_of(const Value* address) const {
  static const std::vector<const llvm::Instruction*> none;
  llvm::APInt offset(64, 0);
  const auto found =
      users_.find(address->stripAndAccumulateConstantOffsets(module_.getDataLayout(), offset, true));
  return found == users_.end() ? none : found->second;
}

struct RankValues::Trail {
  static constexpr unsigned most = 2000;
  llvm::SmallPtrSet<const Value*, 32> seen;
  std::set<std::string> comms;
};

std::set<std::string> RankValues::ranks_in(const Value* value) {
  Trail trail;
  follow(value, &trail);
  return trail.comms;
}

void RankValues::follow(const Value* value, Trail* trail) {
  if (!trail->seen.insert(value).second || trail->seen.size() > Trail::most) return;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
    for (const llvm::User* user : argument->getParent()->users()) {
      const auto* call = llvm::dyn_cast<CallBase>(user);
      if (call && call->getCalledOperand() == argument->getParent() &&
          call->arg_size() > argument->getArgNo())
        follow(call->getArgOperand(argument->getArgNo()), trail);
    }
    return;
  }
  const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
  if (!i) return;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(i))
    return follow_memory(load->getPointerOperand(), trail);
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(i)) {
    for (const llvm::BasicBlock* from : phi->blocks()) {
      for (const llvm::BasicBlock* block : {from, from->getSinglePredecessor()}) {
        const Value* condition = block ? condition_of(*block->getTerminator()) : nullptr;
        if (condition) follow(condition, trail);
      }
    }
  }
  // The result of a function is not followed, nor what it is given.
  if (llvm::isa<CallBase>(i) && !llvm::cast<CallBase>(i)->doesNotAccessMemory()) return;
  for (const Value* operand : i->operands()) follow(operand, trail);
}

// A variable that MPI puts the rank into, or what depends on it is stored to.
void RankValues::follow_memory(const Value* address, Trail* trail) {
  const Value* object = llvm::getUnderlyingObject(address);
  if (!llvm::isa<llvm::AllocaInst>(object) && !llvm::isa<llvm::GlobalVariable>(object)) return;
  if (!trail->seen.insert(object).second) return;
  for (const llvm::Instruction* i : users_of(address)) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(i)) {
      if (same_place(store->getPointerOperand(), address)) follow(store->getValueOperand(), trail);
      continue;
    }
    const auto& call = llvm::cast<CallBase>(*i);
    MemoryUse use;
    if (written_at(call, address, &use) != Writes::own_rank) continue;
    const Value* const comm = use.comm < 0 ? nullptr : call.getArgOperand(static_cast<unsigned>(use.comm));
    trail->comms.insert(comm ? comm_key(comm, use.interface) : "");
  }
}

// The kind of value that a call of MPI's puts there; `differs` where it puts nothing there, or nothing is
// known.
Writes RankValues::written_at(const CallBase& call, const Value* address, MemoryUse* use) const {
  if (!memory_use(call, use)) return Writes::differs;
  for (const Output& output : use->outputs)
    if (same_place(call.getArgOperand(static_cast<unsigned>(output.argument)), address)) return output.writes;
  return Writes::differs;
}

bool RankValues::same_place(const Value* a, const Value* b) const {
  const llvm::DataLayout& layout = module_.getDataLayout();
  llvm::APInt of_a(64, 0), of_b(64, 0);
  const Value* base_a = a->stripAndAccumulateConstantOffsets(layout, of_a, true);
  const Value* base_b = b->stripAndAccumulateConstantOffsets(layout, of_b, true);
  return base_a == base_b && of_a == of_b;
}

std::string RankValues::comm_key(const Value* comm, Interface interface, unsigned depth) {
  if (!comm) return "none";
  switch (known_comm(comm, interface)) {
    case KnownComm::world:
      return "world";
    case KnownComm::self:
      return "self";
    default:
      break;
  }
  const Value* address = comm;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(comm)) address = load->getPointerOperand();
  llvm::APInt offset(64, 0);
  const Value* base = address->stripAndAccumulateConstantOffsets(module_.getDataLayout(), offset, true);
  // An argument is what all callers of the file pass.
  const auto* argument = llvm::dyn_cast<llvm::Argument>(base);
  if (argument && address == base && address == comm && depth < 4) {
    std::set<std::string> passed;
    for (const llvm::User* user : argument->getParent()->users()) {
      const auto* call = llvm::dyn_cast<CallBase>(user);
      if (!call || call->getCalledOperand() != argument->getParent() ||
          call->arg_size() <= argument->getArgNo()) {
        passed = {};
        break;
      }
      passed.insert(comm_key(call->getArgOperand(argument->getArgNo()), interface, depth + 1));
    }
    if (passed.size() == 1) return *passed.begin();
  }
  return std::to_string(reinterpret_cast<std::uintptr_t>(base)) + "+" +
         std::to_string(offset.getSExtValue()) + (address == comm && interface == Interface::c ? "" : "*");
}

std::optional<std::int64_t> RankValues::on_rank(const Value* value, int rank, int size) {
  guessed_ = false;
  return at(value, rank, size, 0);
}

std::optional<std::int64_t> RankValues::at(const Value* value, int rank, int size, unsigned depth) {
  if (depth > 12) return {};
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value))
    return number->getBitWidth() == 1    ? std::optional<std::int64_t>(number->isOne())
           : number->getBitWidth() <= 64 ? std::optional(number->getSExtValue())
                                         : std::nullopt;
  if (!value->getType()->isIntegerTy()) return {};
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(value))
    return in_memory(load->getPointerOperand(), rank, size, depth + 1);
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
    std::set<std::int64_t> passed;
    for (const llvm::User* user : argument->getParent()->users()) {
      const auto* call = llvm::dyn_cast<CallBase>(user);
      if (!call || call->getCalledOperand() != argument->getParent() ||
          call->arg_size() <= argument->getArgNo())
        return guess();
      const auto given = at(call->getArgOperand(argument->getArgNo()), rank, size, depth + 1);
      if (!given) return {};
      passed.insert(*given);
    }
    return passed.size() == 1 ? std::optional(*passed.begin())
           : passed.empty()   ? std::optional(guess())
                              : std::nullopt;
  }
  const auto* i = llvm::dyn_cast<llvm::Instruction>(value);
  if (!i || llvm::isa<llvm::PHINode>(i)) return {};
  if (llvm::isa<CallBase>(i)) return guess();
  const auto operand = [&](unsigned n) { return at(i->getOperand(n), rank, size, depth + 1); };
  if (llvm::isa<llvm::ZExtInst>(i) || llvm::isa<llvm::SExtInst>(i) || llvm::isa<llvm::FreezeInst>(i))
    return operand(0);
  if (llvm::isa<llvm::TruncInst>(i)) {
    const auto whole = operand(0);
    return whole && i->getType()->isIntegerTy(1) ? std::optional(*whole & 1) : whole;
  }
  if (i->getNumOperands() < 2) return {};
  const auto first = operand(0), second = operand(1);
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(i))
    return first ? at(*first ? select->getTrueValue() : select->getFalseValue(), rank, size, depth + 1)
                 : std::nullopt;
  if (!first || !second) return {};
  if (const auto* question = llvm::dyn_cast<llvm::ICmpInst>(i))
    return compare(question->getPredicate(), *first, *second);
  return operate(i->getOpcode(), *first, *second);
}

// The value that every store and every call that tells a rank or a size puts there. Other calls may put
// another one there, but for a rank or a size, which programs leave as it is. The first of which nothing is
// known ends the search: variables that depend on each other would else be followed as often as there are
// ways through their stores.
std::optional<std::int64_t> RankValues::in_memory(const Value* address, int rank, int size, unsigned depth) {
  const Value* object = llvm::getUnderlyingObject(address);
  if (!llvm::isa<llvm::AllocaInst>(object) && !llvm::isa<llvm::GlobalVariable>(object)) return guess();
  std::optional<std::int64_t> all;
  bool told = false, escapes = false;
  for (const llvm::Instruction* i : users_of(address)) {
    std::optional<std::int64_t> written;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(i)) {
      if (!same_place(store->getPointerOperand(), address)) continue;
      written = at(store->getValueOperand(), rank, size, depth + 1);
    } else {
      const auto& call = llvm::cast<CallBase>(*i);
      MemoryUse use;
      const Writes writes = written_at(call, address, &use);
      const bool tells_rank = writes == Writes::own_rank && use.comm >= 0;
      if (!tells_rank && writes != Writes::size_of_comm) {
        escapes = escapes || may_write(call, address);
        continue;
      }
      written = tells_rank ? rank : size;
      told = true;
    }
    if (!written || (all && *all != *written)) return {};
    all = written;
  }
  if (!all) return guess();
  if (escapes && !told) guessed_ = true;
  return all;
}

// A call that is given the address, as MPI_Bcast or a function that reads the program's input.
bool RankValues::may_write(const CallBase& call, const Value* address) const {
  if (llvm::isa<llvm::IntrinsicInst>(call)) return false;
  for (unsigned n = 0; n < call.arg_size(); ++n) {
    const Value* given = call.getArgOperand(n);
    if (given->getType()->isPointerTy() && same_place(given, address) && !call.onlyReadsMemory(n))
      return true;
  }
  return false;
}

}  // namespace lapwing::compiler
