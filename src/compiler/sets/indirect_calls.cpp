// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/indirect_calls.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

#include "compiler/llvm_versions.hpp"

namespace lapwing::compiler {
namespace {

using llvm::CallBase;
using llvm::Function;

char letter_of(const llvm::Type* type) {
  if (type->isPointerTy()) return 'p';
  if (type->isIntegerTy()) return 'i';
  return type->isFloatingPointTy() ? 'f' : 'o';
}

// Calls and functions of other lists of arguments never meet, whatever their results are.
std::string arguments_of(const CallBase& call) {
  std::string letters;
  for (const llvm::Value* argument : call.args()) letters += letter_of(argument->getType());
  return letters;
}

std::string arguments_of(const Function& function) {
  std::string letters;
  for (const llvm::Argument& argument : function.args()) letters += letter_of(argument.getType());
  return function.isVarArg() ? letters + "*" : letters;
}

bool is_virtual_table(const llvm::GlobalVariable& global) {
  return global.getName().starts_with("_ZTV") || global.getName().starts_with("_ZTC");
}

const Function* function_of(const llvm::Constant* entry) {
  const llvm::Value* value = entry->stripPointerCasts();
  if (const auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(value)) value = alias->getAliaseeObject();
  return llvm::dyn_cast<Function>(value);
}

// C++'s form: a virtual table's address is loaded, then one of its entries.
int slot_of(const CallBase& call, const llvm::DataLayout& layout) {
  const auto* entry = llvm::dyn_cast<llvm::LoadInst>(call.getCalledOperand()->stripPointerCasts());
  if (!entry) return -1;
  llvm::APInt offset(64, 0);
  const llvm::Value* table =
      entry->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  const std::int64_t bytes = offset.getSExtValue();
  if (!llvm::isa<llvm::LoadInst>(table) || bytes < 0 || bytes % 8 != 0) return -1;
  return static_cast<int>(bytes / 8);
}

using TableSlots = llvm::MapVector<const Function*, llvm::SmallSetVector<int, 2>>;

// Functions begin where the table's address points to, behind the type's description.
void note_table(const llvm::ConstantArray& table, TableSlots& slots) {
  unsigned first = 0;
  while (first < table.getNumOperands() && !function_of(table.getOperand(first))) ++first;
  const llvm::Value* before = first > 0 ? table.getOperand(first - 1)->stripPointerCasts() : nullptr;
  const bool known =
      before && (llvm::isa<llvm::ConstantPointerNull>(before) || before->getName().starts_with("_ZTI"));
  for (unsigned i = first; i < table.getNumOperands(); ++i) {
    if (const Function* function = function_of(table.getOperand(i)))
      slots[function].insert(known ? static_cast<int>(i - first) : -1);
  }
}

TableSlots slots_of_tables(const llvm::Module& module) {
  TableSlots slots;
  for (const llvm::GlobalVariable& global : module.globals()) {
    if (!is_virtual_table(global) || !global.hasInitializer()) continue;
    for (const llvm::Use& part : global.getInitializer()->operands())
      if (const auto* table = llvm::dyn_cast<llvm::ConstantArray>(part)) note_table(*table, slots);
  }
  return slots;
}

// Whether an address is taken for something else than a call or a virtual table.
bool is_taken(const llvm::Constant& constant) {
  for (const llvm::Use& use : constant.uses()) {
    const llvm::User* user = use.getUser();
    if (const auto* call = llvm::dyn_cast<CallBase>(user)) {
      if (!call->isCallee(&use)) return true;
    } else if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(user)) {
      if (!is_virtual_table(*global) && !global->getName().starts_with("llvm.")) return true;
    } else if (llvm::isa<Function>(user)) {
      continue;  // that handles its exceptions
    } else if (const auto* other = llvm::dyn_cast<llvm::Constant>(user)) {
      if (is_taken(*other)) return true;
    } else {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<PointerCall> find_pointer_calls(const FunctionSplits& in, const Reach& reach) {
  std::vector<PointerCall> found;
  const llvm::DataLayout& layout = layout_of(*in.function);
  for (llvm::BasicBlock* block : in.flow->blocks()) {
    for (llvm::Instruction& instruction : *block) {
      auto* call = llvm::dyn_cast<CallBase>(&instruction);
      if (!call || call->isInlineAsm() || llvm::isa<llvm::CallBrInst>(call) ||
          llvm::isa<Function>(call->getCalledOperand()->stripPointerCasts()) ||
          reach(*call) != Reaches::through)
        continue;
      found.push_back({call, arguments_of(*call), slot_of(*call, layout)});
    }
  }
  return found;
}

bool is_uniform(const PointerCall& call, Uniformity& uniformity) {
  const auto* copy = llvm::dyn_cast_or_null<CallBase>(uniformity.model().copy_of(call.call));
  if (!copy) return false;
  if (llvm::isa<Function>(copy->getCalledOperand()->stripPointerCasts())) return true;
  const Known* known = uniformity.of(*copy->getFunction());
  return known && known->dominators->isReachableFromEntry(copy->getParent()) &&
         known->equal(copy->getCalledOperandUse());
}

std::vector<Target> find_targets(llvm::Module& module, const Reach& reach) {
  std::vector<Target> found;
  const TableSlots slots = slots_of_tables(module);
  for (Function& function : module) {
    if (function.isIntrinsic() || function.hasAvailableExternallyLinkage() || !reach(function)) continue;
    const int reaches = function.isDeclaration() ? 0 : Target::reaches;
    const std::string arguments = arguments_of(function);
    const auto in_tables = slots.find(&function);
    if (is_taken(function)) {
      found.push_back({&function, arguments, -1, Target::taken | reaches});
    } else if (in_tables != slots.end()) {
      for (const int slot : in_tables->second)
        found.push_back({&function, arguments, slot, Target::taken | reaches});
    } else if (reaches && !function.hasLocalLinkage() && function.getName() != "main") {
      found.push_back({&function, arguments, -1, reaches});  // another file may take its address
    }
  }
  return found;
}

}  // namespace lapwing::compiler
