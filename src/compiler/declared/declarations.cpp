// SPDX-License-Identifier: Apache-2.0
#include "compiler/declared/declarations.hpp"

#include <llvm/IR/Function.h>

namespace lapwing::compiler {
namespace {

struct Declaration {
  llvm::StringRef name;
  unsigned arguments;
  int count, type;
  int first;  // a buffer
  unsigned first_later;
  int second = -1;
  unsigned second_later = 0;
};

// With MPI_IN_PLACE what is received into is read as well.
constexpr unsigned reads_and_writes_later = reads_later | writes_later;
const Declaration declarations[] = {
    {"lapwing_declare_send", 6, 1, 2, 0, reads_later},
    {"lapwing_declare_recv", 6, 1, 2, 0, writes_later},
    {"lapwing_declare_bcast", 5, 1, 2, 0, reads_and_writes_later},
    {"lapwing_declare_reduce", 7, 2, 3, 0, reads_later, 1, reads_and_writes_later},
    {"lapwing_declare_allreduce", 6, 2, 3, 0, reads_later, 1, reads_and_writes_later},
};

const Declaration* declaration_of(const llvm::CallBase& call, bool* fortran) {
  const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
  if (!callee || !callee->isDeclaration()) return nullptr;
  llvm::StringRef name = callee->getName();
  *fortran = name.consume_back("_f");
  for (const Declaration& declaration : declarations)
    if (name == declaration.name && call.arg_size() == declaration.arguments) return &declaration;
  return nullptr;
}

}  // namespace

std::vector<DeclaredBuffer> declared_buffers(llvm::CallBase& call) {
  std::vector<DeclaredBuffer> found;
  bool fortran = false;
  const Declaration* declaration = declaration_of(call, &fortran);
  if (!declaration) return found;
  const auto argument = [&](int i) { return call.getArgOperand(static_cast<unsigned>(i)); };
  const auto add = [&](int buffer, unsigned later) {
    if (buffer >= 0)
      found.push_back({&call, argument(buffer), argument(declaration->count), argument(declaration->type),
                       later, fortran});
  };
  add(declaration->first, declaration->first_later);
  add(declaration->second, declaration->second_later);
  return found;
}

DeclaredCall declared_call(const llvm::CallBase& call) {
  bool fortran = false;
  if (declaration_of(call, &fortran)) return DeclaredCall::declares;
  const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
  if (!callee || !callee->isDeclaration()) return DeclaredCall::none;
  const llvm::StringRef name = callee->getName();
  if (name == "lapwing_complete") return DeclaredCall::completes;
  for (llvm::StringRef one :
       {"lapwing_use", "lapwing_define", "lapwing_declare_open", "lapwing_declare_open_f",
        "lapwing_declared_pending", "lapwing_declared_progress", "lapwing_declared_print"})
    if (name == one) return DeclaredCall::neutral;
  return DeclaredCall::none;
}

}  // namespace lapwing::compiler
