// SPDX-License-Identifier: Apache-2.0
#include "compiler/names.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/alias/allocations.hpp"
#include "compiler/llvm_versions.hpp"

namespace lapwing::compiler {
namespace {

using llvm::StringRef;

// flang's _QMmoduleEname, _QFprocedureEname, and commons with their underscore.
StringRef fortran_name(StringRef symbol) {
  if (symbol.starts_with("_Q")) {
    const std::size_t at = symbol.rfind('E');
    return at == StringRef::npos ? symbol : symbol.drop_front(at + 1);
  }
  return symbol.rtrim('_');
}

StringRef name_of_global(const llvm::GlobalVariable& global) {
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 2> described;
  global.getDebugInfo(described);
  if (described.size() == 1) return described.front()->getVariable()->getName();
  const bool fortran = global.getName().starts_with("_Q") || global.hasCommonLinkage();
  return fortran ? fortran_name(global.getName()) : global.getName();
}

// The variable of this function, rather than one of a function that was inlined
// and that has another name for the same.
StringRef name_in_debug_records(const llvm::Value& value) {
  StringRef own, found;
  for_debug_records(value, [&](const auto& record) {
    const llvm::DILocalVariable* variable = record.getVariable();
    if (variable->getName().empty() || variable->isArtificial()) return;
    if (own.empty() && !record.getDebugLoc()->getInlinedAt()) own = variable->getName();
    if (found.empty()) found = variable->getName();
  });
  return own.empty() ? found : own;
}

StringRef find(const llvm::Value* pointer, int depth) {
  const llvm::Value* object = llvm::getUnderlyingObject(pointer);
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object)) return name_of_global(*global);
  if (llvm::isa<llvm::Constant>(object)) return "";
  StringRef name = name_in_debug_records(*object);
  // The place where the pointer is kept: a variable, or Fortran's descriptor.
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(object);
  if (name.empty() && load && depth < 3) name = find(load->getPointerOperand(), depth + 1);
  // Values that are calls are called after what they call.
  if (llvm::isa<llvm::CallBase>(object)) {
    const llvm::GlobalVariable* owner = name.empty() ? owner_of(object) : nullptr;
    return owner ? name_of_global(*owner) : name;
  }
  if (name.empty() && object->hasName() && !object->getName().contains("lapwing")) name = object->getName();
  return name;
}

}  // namespace

std::string buffer_name(const llvm::Value* pointer) {
  const StringRef name = find(pointer, 0);
  return name.empty() ? "the buffer" : "`" + name.str() + "`";
}

}  // namespace lapwing::compiler
