// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/memory_use.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ModRef.h>

#include "compiler/sets/collective_calls.hpp"
#include "compiler/sets/language_libraries.hpp"

namespace lapwing::compiler {
namespace {

using llvm::StringRef;

struct MemoryRoutine {
  const char* name;
  std::vector<Output> outputs;
  int comm;
  int op;  // a reduction's: the program's own may do anything
};

const llvm::StringMap<MemoryRoutine>& memory_routines() {
  static const llvm::StringMap<MemoryRoutine> known = [] {
    const MemoryRoutine rows[] = {
// Written by src/calls/generate.py.
#include "known_calls.inc"
    };
    llvm::StringMap<MemoryRoutine> t;
    for (const MemoryRoutine& row : rows) t[row.name] = row;
    return t;
  }();
  return known;
}

// A buffer by which any memory can be meant.
bool is_bottom(const llvm::Value* buffer) {
  if (!buffer->getType()->isPointerTy()) return false;
  const llvm::Value* object = llvm::getUnderlyingObject(buffer);
  if (llvm::isa<llvm::ConstantPointerNull>(object)) return true;
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object);
  return global && (global->getName().starts_with("mpipriv1") || global->getName().contains("bottom"));
}

bool is_own_operation(const llvm::Value* op, Interface interface) {
  if (interface == Interface::fortran) return !constant_at(op);
  return !llvm::isa<llvm::Constant>(op);
}

void state(llvm::CallBase& call, llvm::ArrayRef<int> written, bool all_written) {
  llvm::LLVMContext& context = call.getContext();
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    if (!call.getArgOperand(i)->getType()->isPointerTy()) continue;
    call.addParamAttr(i, llvm::Attribute::NoCapture);
    if (!all_written && !llvm::is_contained(written, static_cast<int>(i)))
      call.addParamAttr(i, llvm::Attribute::ReadOnly);
  }
  call.addFnAttr(
      llvm::Attribute::getWithMemoryEffects(context, llvm::MemoryEffects::inaccessibleOrArgMemOnly()));
}

}  // namespace

bool memory_use(const llvm::CallBase& call, MemoryUse* use) {
  const llvm::Function* callee = callee_of(call);
  if (!callee || !callee->isDeclaration()) return false;
  const std::string name = routine_name(callee->getName(), &use->interface);
  const auto found = name.empty() ? memory_routines().end() : memory_routines().find(name);
  if (found == memory_routines().end()) return false;
  const MemoryRoutine& known = found->second;
  const int given = static_cast<int>(call.arg_size());
  use->comm = known.comm;
  use->result_differs = name == "wtime" || name == "wtick";
  if (known.comm >= given) return false;
  // C's forms of Init take the addresses of argc and argv first.
  const bool arguments_first = use->interface == Interface::c && (name == "init" || name == "init_thread");
  for (Output output : known.outputs) {
    if (arguments_first) output.argument += 2;
    if (output.argument >= given) return false;
    if (known.op >= 0 &&
        is_own_operation(call.getArgOperand(static_cast<unsigned>(known.op)), use->interface))
      return false;
    if (is_bottom(call.getArgOperand(static_cast<unsigned>(output.argument))) &&
        output.writes != Writes::equal && !known.outputs.empty() &&
        output.argument == known.outputs[0].argument)
      return false;
    use->outputs.push_back(output);
  }
  for (int i = 0; arguments_first && i < 2 && i < given; ++i) use->outputs.push_back({i, Writes::differs});
  // Fortran's error code.
  if (use->interface == Interface::fortran && given > 0 && !use->result_differs)
    use->outputs.push_back({given - 1, Writes::equal});
  return true;
}

void state_memory_use(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call || call->isInlineAsm() || llvm::isa<llvm::IntrinsicInst>(call)) continue;
    const llvm::Function* callee = callee_of(*call);
    if (!callee || !callee->isDeclaration()) continue;
    MemoryUse use;
    if (memory_use(*call, &use)) {
      std::vector<int> written;
      for (const Output& output : use.outputs) written.push_back(output.argument);
      state(*call, written, false);
      continue;
    }
    const StringRef name = callee->getName();
    const bool prints = name == "printf" || name == "fprintf" || name == "puts" || name == "fputs" ||
                        name == "__printf_chk" || name == "__fprintf_chk" || name == "perror";
    if (prints || name.starts_with("_FortranAioOutput") || name.starts_with("_FortranAioBeginExternal") ||
        name.starts_with("_FortranAioEnd")) {
      state(*call, {}, !prints);
    } else if (keeps_no_address(name) || name.starts_with("_FortranAioInputInteger") ||
               name.starts_with("_FortranAioInputReal") || name.starts_with("_FortranAioInputLogical")) {
      state(*call, {}, true);
    }
  }
}

bool asks_for_errors(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() || function.use_empty()) continue;
    const std::string name = routine_name(function.getName());
    if (name == "comm_set_errhandler" || name == "errhandler_set") return true;
  }
  return false;
}

}  // namespace lapwing::compiler
