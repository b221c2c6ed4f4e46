// SPDX-License-Identifier: Apache-2.0
#include "compiler/effects/library_calls.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Intrinsics.h>

#include <llvm/IR/Function.h>

#include <utility>

namespace lapwing::compiler {

bool knows_arguments_only(const llvm::CallBase& call, const llvm::TargetLibraryInfo& library) {
  const auto* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || callee->isIntrinsic()) return false;
  for (const llvm::Use& argument : call.args())
    if (argument->getType()->isPointerTy() && llvm::isa<llvm::Function>(argument->stripPointerCasts()))
      return false;
  llvm::LibFunc function;
  if (callee->getName() == "atexit") return false;
  if (library.getLibFunc(*callee, function)) return function != llvm::LibFunc_qsort;
  // Such as LLVM does not know, and programs that wait or measure call.
  static const llvm::StringRef others[] = {
      "usleep", "sleep",  "nanosleep", "sched_yield", "clock_gettime", "time",    "gettimeofday", "clock",
      "getpid", "getenv", "rand",      "srand",       "drand48",       "srand48", "random",       "srandom"};
  for (llvm::StringRef one : others)
    if (callee->getName() == one) return true;
  return false;
}

bool reads_clock(const llvm::CallBase& call) {
  const auto* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || callee->isVarArg()) return false;
  // With the number of their arguments: not all of these names are reserved.
  static const std::pair<llvm::StringRef, unsigned> clocks[] = {
      {"time", 1},
      {"clock", 0},
      {"times", 1},
      {"clock_gettime", 2},
      {"clock_getres", 2},
      {"timespec_get", 2},
      {"gettimeofday", 2},
      {"getrusage", 2},
      {"omp_get_wtime", 0},
      {"omp_get_wtick", 0},
      {"omp_get_wtime_", 0},
      {"omp_get_wtick_", 0},
      // std::chrono's now, of libstdc++ and of libc++.
      {"_ZNSt6chrono3_V212steady_clock3nowEv", 0},
      {"_ZNSt6chrono3_V212system_clock3nowEv", 0},
      {"_ZNSt3__16chrono12steady_clock3nowEv", 0},
      {"_ZNSt3__16chrono12system_clock3nowEv", 0},
      // SYSTEM_CLOCK and CPU_TIME, as flang calls them.
      {"_FortranASystemClockCount", 1},
      {"_FortranASystemClockCountRate", 1},
      {"_FortranASystemClockCountMax", 1},
      {"_FortranACpuTime", 0}};
  return llvm::any_of(clocks, [&](const auto& one) {
    return callee->getName() == one.first && call.arg_size() == one.second;
  });
}

bool gives_back(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return false;
  const llvm::StringRef name = callee->getName();
  return name == "free" || name.starts_with("_ZdlPv") || name.starts_with("_ZdaPv");
}

bool gives_new(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || !call.returnDoesNotAlias()) return false;
  const llvm::StringRef name = callee->getName();
  return name == "malloc" || name == "calloc" || name == "aligned_alloc" || name.starts_with("_Znw") ||
         name.starts_with("_Zna");
}

bool returns_twice(const llvm::CallBase& call) {
  return call.hasFnAttr(llvm::Attribute::ReturnsTwice) ||
         call.getIntrinsicID() == llvm::Intrinsic::eh_sjlj_setjmp;
}

bool may_be_jumped_into(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& i) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    return call && returns_twice(*call);
  });
}

}  // namespace lapwing::compiler
