// SPDX-License-Identifier: Apache-2.0
#include "compiler/effects/module_properties.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <string>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/effects/parallel_regions.hpp"
#include "compiler/mpi/calls.hpp"
#include "compiler/waits/freed_requests.hpp"

namespace lapwing::compiler {
namespace {

using llvm::StringRef;

// "win_create" of MPI_Win_create, mpi_win_create_ and the rest of its names, those of the
// profiling interface and of extensions (MPIX_) too; "start_ssend" of what an earlier run of the pass has
// made.
std::string stem_of(StringRef symbol) {
  if (symbol.consume_front("lapwing_")) {
    if (!symbol.consume_front("f08_")) symbol.consume_front("pf08_");
  } else {
    symbol.consume_front_insensitive("p");
    if (!symbol.consume_front_insensitive("mpi_") && !symbol.consume_front_insensitive("mpix_")) return {};
  }
  return symbol.rtrim('_').lower();
}

// MPI_THREAD_MULTIPLE is 3 in both MPIs; what is not known may be it.
bool may_ask_for_multiple(const llvm::Function& init_thread) {
  return llvm::any_of(init_thread.users(), [](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    const auto mpi = call ? MpiCall::of(*call) : std::nullopt;
    if (!mpi || call->arg_size() < 2) return true;
    const auto level = constant_argument(*mpi, mpi->is_fortran() ? 0 : 2);
    return !level || *level >= 3;
  });
}

// With MAP_SHARED, which is 1.
bool may_map_shared(const llvm::Function& mmap) {
  return llvm::any_of(mmap.users(), [](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    const auto* flags =
        call && call->arg_size() == 6 ? llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(3)) : nullptr;
    return !flags || (flags->getZExtValue() & 1) != 0;
  });
}

bool reduces(StringRef stem) { return stem.contains("reduce") || stem.contains("scan"); }

}  // namespace

ModuleProperties find_module_properties(const llvm::Module& module) {
  ModuleProperties properties;
  properties.frees_sends = frees_sends(module);
  bool initialises = false, threads = regions_communicate(module), makes_operations = false,
       reduces_meanwhile = false;
  for (const llvm::Function& function : module) {
    const StringRef name = function.getName();
    if (function.use_empty()) continue;
    threads |= name == "pthread_create" || name == "thrd_create" || name.contains("_M_start_thread");
    properties.maps_memory |= name == "shmat";
    if (name == "mmap" || name == "mmap64") properties.maps_memory |= may_map_shared(function);
    const std::string own = stem_of(name);
    const StringRef stem = own;
    if (stem.empty()) continue;
    properties.sends_synchronously |= stem.contains("ssend");
    properties.exposes_memory |=
        stem.starts_with("win_create") || stem.starts_with("win_allocate") || stem.starts_with("win_attach");
    properties.shares_memory |= stem == "win_allocate_shared" || stem == "win_shared_query" ||
                                stem == "win_allocate_shared_c" || stem == "win_shared_query_c";
    properties.handles_errors |= stem.contains("create_errhandler") || stem == "errhandler_create";
    properties.calls_back |= stem == "grequest_start";
    makes_operations |= stem.starts_with("op_create");
    reduces_meanwhile |= reduces(stem) && (stem.starts_with("i") || stem.contains("_init"));
    initialises |= stem == "init" || stem == "init_thread";
    if (stem == "init_thread") properties.shares_memory |= may_ask_for_multiple(function);
  }
  properties.shares_memory |= (threads && !initialises) || properties.maps_memory;
  properties.runs_operations = makes_operations && reduces_meanwhile;
  properties.exposes_memory |= properties.shares_memory;
  return properties;
}

}  // namespace lapwing::compiler
