// SPDX-License-Identifier: Apache-2.0
#include "compiler/habits.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/calls.hpp"
#include "compiler/fortran_tags.hpp"
#include "compiler/freed.hpp"

namespace lapwing::compiler {
namespace {

using llvm::StringRef;

bool has_any(StringRef name, std::initializer_list<const char*> parts) {
  return llvm::any_of(parts, [&](const char* part) { return name.contains_insensitive(part); });
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

}  // namespace

Habits find_habits(const llvm::Module& module) {
  Habits habits;
  habits.frees_sends = frees_sends(module);
  bool initialises = false, threads = false;
  for (const llvm::Function& function : module) {
    const StringRef name = function.getName();
    if (function.use_empty()) continue;
    habits.jumps |= name == "longjmp" || name == "_longjmp" || name == "siglongjmp";
    threads |= name == "pthread_create" || name == "thrd_create" || name.contains("_M_start_thread");
    habits.shares_memory |= name == "mmap" || name == "mmap64" || name == "shmat";
    if (!find_symbol(name)) continue;
    habits.sends_synchronously |= has_any(name, {"ssend"});
    habits.exposes_memory |= has_any(name, {"win_create", "win_allocate", "win_attach"});
    habits.shares_memory |= has_any(name, {"win_allocate_shared", "win_shared_query"});
    habits.handles_errors |= has_any(name, {"create_errhandler", "errhandler_create"});
    initialises |= has_any(name, {"mpi_init"});
    if (has_any(name, {"mpi_init_thread"})) habits.shares_memory |= may_ask_for_multiple(function);
  }
  habits.shares_memory |= threads && !initialises;
  habits.exposes_memory |= habits.shares_memory;
  return habits;
}

}  // namespace lapwing::compiler
