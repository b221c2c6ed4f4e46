// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/memory_use.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/sets/collective_calls.hpp"
#include "compiler/sets/language_libraries.hpp"

namespace lapwing::compiler {
namespace {

using llvm::StringRef;

struct MemoryRoutine {
  std::vector<Output> outputs;
  int comm = -1;
  int op = -1;  // a reduction's: the program's own may do anything
};

const llvm::StringMap<MemoryRoutine>& memory_routines() {
  static const llvm::StringMap<MemoryRoutine> known = [] {
    using enum Writes;
    llvm::StringMap<MemoryRoutine> t;
    const auto add = [&](StringRef name, std::vector<Output> outputs, int comm = -1, int op = -1) {
      t[name] = MemoryRoutine{std::move(outputs), comm, op};
    };
    add("barrier", {}, 0);
    add("bcast", {{0, equal_on_comm, 1, 2}}, 4);
    add("allreduce", {{1, equal_on_comm, 2, 3}}, 5, 4);
    // Blocks of all processes: how much is count times their number.
    add("allgather", {{3, equal_on_comm, 4, 5}}, 6);
    add("allgatherv", {{3, equal_on_comm}}, 7);
    add("reduce", {{1, differs}}, 6, 4);
    for (const char* name : {"scan", "exscan"}) add(name, {{1, differs}}, 5, 4);
    add("gather", {{3, differs}}, 7);
    add("gatherv", {{3, differs}}, 8);
    add("scatter", {{3, differs}}, 7);
    add("scatterv", {{4, differs}}, 8);
    add("alltoall", {{3, differs}}, 6);
    for (const char* name : {"alltoallv", "alltoallw", "neighbor_alltoallv", "neighbor_alltoallw"})
      add(name, {{4, differs}}, 8);
    for (const char* name : {"reduce_scatter", "reduce_scatter_block"}) add(name, {{1, differs}}, 5, 4);
    add("neighbor_allgather", {{3, differs}}, 6);
    add("neighbor_allgatherv", {{3, differs}}, 7);
    add("neighbor_alltoall", {{3, differs}}, 6);

    for (const char* name : {"send", "ssend", "rsend"}) add(name, {}, 5);
    add("recv", {{0, differs}, {6, differs}}, 5);
    add("sendrecv", {{5, differs}, {11, differs}}, 10);
    add("sendrecv_replace", {{0, differs}, {8, differs}}, 7);
    add("probe", {{3, differs}}, 2);
    add("iprobe", {{3, differs}, {4, differs}}, 2);

    add("comm_rank", {{1, differs}}, 0);
    add("comm_size", {{1, size_of_comm}}, 0);
    add("group_rank", {{1, differs}});
    add("group_size", {{1, differs}});
    add("comm_group", {{1, differs}}, 0);
    add("comm_compare", {{2, differs}});
    add("comm_remote_size", {{1, differs}}, 0);
    add("comm_test_inter", {{1, differs}}, 0);
    add("comm_dup", {{1, duplicate}}, 0);
    add("comm_dup_with_info", {{2, duplicate}}, 0);
    add("comm_split", {{3, differs}}, 0);
    add("comm_split_type", {{4, differs}}, 0);
    add("comm_create", {{2, differs}}, 0);
    add("comm_create_group", {{3, differs}}, 0);
    add("comm_free", {{0, differs}});
    add("cart_create", {{5, differs}}, 0);
    add("cart_sub", {{2, differs}}, 0);
    add("cart_coords", {{3, differs}}, 0);
    add("cart_rank", {{2, differs}}, 0);
    add("cart_shift", {{3, differs}, {4, differs}}, 0);
    add("cart_get", {{2, differs}, {3, differs}, {4, differs}}, 0);
    add("dims_create", {{2, from_inputs}});
    add("intercomm_create", {{5, differs}}, 0);
    add("intercomm_merge", {{2, differs}}, 0);
    add("group_incl", {{3, differs}});
    add("group_excl", {{3, differs}});
    add("group_free", {{0, differs}});
    add("group_translate_ranks", {{4, differs}});

    add("init", {});
    add("init_thread", {{3, equal}});
    add("finalize", {});
    add("abort", {});
    for (const char* name : {"initialized", "finalized", "query_thread"}) add(name, {{0, equal}});
    add("is_thread_main", {{0, differs}});
    add("get_version", {{0, equal}, {1, equal}});
    add("get_processor_name", {{0, differs}, {1, differs}});
    add("get_count", {{2, differs}});
    add("get_elements", {{2, differs}});
    add("type_size", {{1, from_inputs}});
    add("type_get_extent", {{1, from_inputs}, {2, from_inputs}});
    add("type_contiguous", {{2, differs}});
    add("type_vector", {{4, differs}});
    add("type_commit", {{0, differs}});
    add("type_free", {{0, differs}});
    add("wtime", {});
    add("wtick", {});
    add("error_string", {{1, differs}, {2, differs}});
    add("error_class", {{1, differs}});
    add("comm_set_errhandler", {});
    add("op_free", {{0, differs}});
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
  for (const Output& output : known.outputs) {
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
  if (name == "init" || name == "init_thread") {
    for (int i = 0; use->interface == Interface::c && i < 2 && i < given; ++i)
      use->outputs.push_back({i, Writes::differs});
  }
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
