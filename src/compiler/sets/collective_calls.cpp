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
  int comm;
  bool by_address = false;
};

constexpr Entry entries[] = {
    {"barrier", 0},
    {"bcast", 4},
    {"reduce", 6},
    {"allreduce", 5},
    {"scan", 5},
    {"exscan", 5},
    {"gather", 7},
    {"gatherv", 8},
    {"scatter", 7},
    {"scatterv", 8},
    {"allgather", 6},
    {"allgatherv", 7},
    {"alltoall", 6},
    {"alltoallv", 8},
    {"alltoallw", 8},
    {"reduce_scatter", 5},
    {"reduce_scatter_block", 5},
    {"neighbor_allgather", 6},
    {"neighbor_allgatherv", 7},
    {"neighbor_alltoall", 6},
    {"neighbor_alltoallv", 8},
    {"neighbor_alltoallw", 8},
    {"comm_dup", 0},
    {"comm_dup_with_info", 0},
    {"comm_idup", 0},
    {"comm_idup_with_info", 0},
    {"comm_split", 0},
    {"comm_split_type", 0},
    {"comm_create", 0},
    {"comm_create_group", 0},
    {"intercomm_create", 0},
    {"intercomm_merge", 0},
    {"cart_create", 0},
    {"cart_sub", 0},
    {"graph_create", 0},
    {"dist_graph_create", 0},
    {"dist_graph_create_adjacent", 0},
    {"comm_free", 0, true},
    {"comm_disconnect", 0, true},
    {"comm_spawn", 5},
    {"comm_spawn_multiple", 6},
    {"comm_accept", 3},
    {"comm_connect", 3},
    {"win_create", 4},
    {"win_allocate", 3},
    {"win_allocate_shared", 3},
    {"win_create_dynamic", 1},
    {"win_free", -1},
    {"win_fence", -1},
    {"file_open", 0},
    {"file_close", -1},
    {"file_set_size", -1},
    {"file_preallocate", -1},
    {"file_set_view", -1},
    {"file_set_atomicity", -1},
    {"file_sync", -1},
    {"file_seek_shared", -1},
    {"file_read_all", -1},
    {"file_write_all", -1},
    {"file_read_at_all", -1},
    {"file_write_at_all", -1},
    {"file_read_ordered", -1},
    {"file_write_ordered", -1},
    {"finalize", -1},
};

const llvm::StringMap<const Entry*>& group_entries() {
  static const llvm::StringMap<const Entry*> names = [] {
    llvm::StringMap<const Entry*> t;
    for (const Entry& entry : entries) t[entry.name] = &entry;
    return t;
  }();
  return names;
}

// The operation behind a non-blocking, persistent or split form.
const Entry* find(StringRef name) {
  const auto known = [](StringRef n) -> const Entry* {
    const auto found = group_entries().find(n);
    return found == group_entries().end() ? nullptr : found->second;
  };
  if (const Entry* entry = known(name)) return entry;
  StringRef rest = name;
  if (rest.consume_back("_init")) return known(rest);
  if (rest.starts_with("file_") && (rest.consume_back("_begin") || rest.consume_back("_end")))
    return known(rest);
  if (rest.starts_with("file_i")) return known(("file_" + rest.drop_front(6)).str());
  if (rest.consume_front("i")) {
    // "Communicators" have their own forms; files and windows have none.
    const Entry* entry = known(rest);
    return entry && entry < &entries[22] ? entry : nullptr;
  }
  return nullptr;
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
  return GroupRoutine{entry->name, entry->comm, entry->by_address, interface};
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
