// SPDX-License-Identifier: Apache-2.0
#include "compiler/effects/library_calls.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Intrinsics.h>

#include <llvm/IR/Function.h>

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
