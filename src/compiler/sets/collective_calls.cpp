// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/collective_calls.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

namespace lapwing::compiler {
namespace {

using llvm::StringRef;

struct Entry {
  const char* name;
  const char* operation;  // the same for each way of it: "bcast" for ibcast and bcast_init
  int comm;
  bool by_address;
};

constexpr Entry entries[] = {
// Written by src/calls/generate.py.
#include "group_routines.inc"
    {"finalize", "finalize", -1, false},
};

const Entry* find(StringRef name) {
  static const llvm::StringMap<const Entry*> by_name = [] {
    llvm::StringMap<const Entry*> t;
    for (const Entry& entry : entries) t[entry.name] = &entry;
    return t;
  }();
  return by_name.lookup(name);
}

}  // namespace

std::string routine_name(StringRef symbol, Interface* interface) {
  StringRef name = symbol;
  Interface language = Interface::c;
  if (name.consume_front("MPI_") || name.consume_front("PMPI_") || name.consume_front("MPIX_") ||
      name.consume_front("PMPIX_")) {
    name.consume_back("_c");
  } else if (name.consume_front("mpi_") || name.consume_front("pmpi_")) {
    language = Interface::fortran;
    if (!name.consume_back("__") && !name.consume_back("_")) return {};
  } else if (name.consume_front("lapwing_f08_")) {
    language = Interface::fortran;
    name.consume_back("_c");
  } else {
    return {};
  }
  if (interface) *interface = language;
  return name.lower();
}

std::optional<GroupRoutine> find_group_routine(StringRef symbol) {
  if (symbol.starts_with("PMPI") || symbol.starts_with("pmpi")) return {};
  Interface interface = Interface::c;
  const std::string name = routine_name(symbol, &interface);
  const Entry* entry = name.empty() ? nullptr : find(name);
  if (!entry) return {};
  return GroupRoutine{entry->operation, entry->comm, entry->by_address, interface};
}

std::optional<GroupCall> GroupCall::of(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || call->isInlineAsm()) return {};
  const auto* callee = llvm::dyn_cast<llvm::Function>(call->getCalledOperand()->stripPointerCasts());
  // A program that defines MPI_Bcast itself knows best what it does.
  if (!callee || !callee->isDeclaration()) return {};
  const auto routine = find_group_routine(callee->getName());
  if (!routine || static_cast<int>(call->arg_size()) <= routine->comm) return {};
  return GroupCall(*routine, const_cast<llvm::CallBase&>(*call));
}

std::optional<GroupCall> GroupCall::of_message(const llvm::Instruction& instruction) {
  const auto call = MpiCall::of(instruction);
  const llvm::Function* callee = call ? callee_of(call->call()) : nullptr;
  if (!callee || !callee->isDeclaration() || callee->getName().starts_with_insensitive("PMPI")) return {};
  switch (call->kind()) {
    case Kind::send:
    case Kind::ssend:
    case Kind::recv:
    case Kind::sendrecv:
    case Kind::sendrecv_replace:
    case Kind::isend:
    case Kind::issend:
    case Kind::irecv:
    case Kind::start:
    case Kind::startall:
    case Kind::probe:
    case Kind::matched_recv:
      return GroupCall({"", call->routine().comm, false, call->interface()}, call->call());
    default:  // what completes a message, or is about requests, has no group
      return {};
  }
}

llvm::Value* GroupCall::comm() const {
  return routine_.comm < 0 ? nullptr : call_->getArgOperand(static_cast<unsigned>(routine_.comm));
}

std::string GroupCall::name() const {
  StringRef symbol = call_->getCalledOperand()->stripPointerCasts()->getName();
  if (!is_fortran()) return symbol.str();
  std::string text = "MPI_" + routine_name(symbol);
  text[4] = llvm::toUpper(text[4]);
  return text;
}

std::optional<std::int64_t> constant_at(const llvm::Value* address) {
  address = address->stripPointerCasts();
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(address)) {
    if (!global->isConstant() || !global->hasDefinitiveInitializer()) return {};
    const llvm::Constant* value = global->getInitializer();
    while (value->getType()->isStructTy() && value->getType()->getStructNumElements() == 1)
      value = value->getAggregateElement(0u);
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
    return number ? std::optional(number->getSExtValue()) : std::nullopt;
  }
  // flang stores a constant into a variable of its own just before the call.
  const auto* local = llvm::dyn_cast<llvm::AllocaInst>(address);
  if (!local) return {};
  std::optional<std::int64_t> found;
  int calls = 0, others = 0;
  for (const llvm::User* user : local->users()) {
    const llvm::StoreInst* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (const auto* field = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      // A handle of mpi_f08's, a type with one component.
      if (!field->hasAllZeroIndices() || !field->hasOneUse()) return {};
      store = llvm::dyn_cast<llvm::StoreInst>(*field->user_begin());
      if (!store) return {};
    }
    if (store) {
      if (store->getValueOperand() == local) return {};
      const llvm::Value* stored = store->getValueOperand();
      std::optional<std::int64_t> number;
      if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(stored))
        number = constant->getSExtValue();
      else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(stored))
        number = llvm::isa<llvm::GlobalVariable>(load->getPointerOperand())
                     ? constant_at(load->getPointerOperand())
                     : std::nullopt;
      if (!number || (found && *found != *number)) return {};
      found = number;
      continue;
    }
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    if (instruction && (llvm::isa<llvm::LoadInst>(user) || instruction->isLifetimeStartOrEnd())) continue;
    // A variable of flang's own goes to one call, which only reads it where it is asked for here; one of
    // the program's may go to several, as their communicator.
    const auto* call = instruction ? llvm::dyn_cast<llvm::CallBase>(instruction) : nullptr;
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || routine_name(callee->getName()).empty()) return {};
    const auto group = GroupCall::of(*call);
    others += !group || group->comm() != local;
    ++calls;
    if (others > 0 && calls > 1) return {};
  }
  return found;
}

KnownComm known_comm(const llvm::Value* comm, Interface interface) {
  constexpr std::int64_t mpich_world = 0x44000000, mpich_self = 0x44000001;
  if (interface == Interface::fortran) {
    const auto number = constant_at(comm);
    if (number == mpich_world || number == 0) return KnownComm::world;
    if (number == mpich_self || number == 1) return KnownComm::self;
    return KnownComm::unknown;
  }
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(comm)) {
    if (number->getSExtValue() == mpich_world) return KnownComm::world;
    return number->getSExtValue() == mpich_self ? KnownComm::self : KnownComm::unknown;
  }
  const auto* object = llvm::dyn_cast<llvm::GlobalVariable>(comm->stripPointerCasts());
  if (object && object->getName() == "ompi_mpi_comm_world") return KnownComm::world;
  if (object && object->getName() == "ompi_mpi_comm_self") return KnownComm::self;
  return KnownComm::unknown;
}

}  // namespace lapwing::compiler
