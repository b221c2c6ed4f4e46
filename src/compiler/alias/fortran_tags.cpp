// SPDX-License-Identifier: Apache-2.0
#include "compiler/alias/fortran_tags.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

namespace lapwing::compiler {
namespace {

// A struct-path tag names its access type second; a type names its parent so.
const llvm::MDNode* parent(const llvm::MDNode* type) {
  return type && type->getNumOperands() > 1 ? llvm::dyn_cast<llvm::MDNode>(type->getOperand(1)) : nullptr;
}

llvm::StringRef name_of(const llvm::MDNode* type) {
  const auto* name =
      type && type->getNumOperands() > 0 ? llvm::dyn_cast<llvm::MDString>(type->getOperand(0)) : nullptr;
  return name ? name->getString() : "";
}

const llvm::MDNode* root_of(const llvm::MDNode* tag) {
  const llvm::MDNode* root = parent(tag);
  for (int depth = 0; root && depth < 16 && parent(root); ++depth) root = parent(root);
  return root;
}

bool belongs_to(llvm::StringRef root, llvm::StringRef function) {
  if (!root.consume_front("Flang function root ")) return false;
  if (root == function) return true;
  return root.consume_front("_QP") && function.consume_back("_") && root == function;
}

}  // namespace

llvm::MDNode* own_type(const llvm::Instruction& access) {
  llvm::MDNode* tag = access.getMetadata(llvm::LLVMContext::MD_tbaa);
  if (!tag) return nullptr;
  const llvm::MDNode* root = root_of(tag);
  // The tree of C and C++ is one for all functions.
  const bool is_c = name_of(root) == "Simple C/C++ TBAA" || name_of(root) == "Simple C++ TBAA";
  return is_c || belongs_to(name_of(root), access.getFunction()->getName()) ? tag : nullptr;
}

bool is_fortran(const llvm::Function& function) {
  // With LTO the main program becomes part of the function that calls it.
  if (function.getName() == "main")
    return function.getParent()->getFunction("_FortranAProgramStart") != nullptr;
  return function.getName().starts_with("_Q") || function.getName().ends_with("_");
}

bool is_no_floating_access(const llvm::Instruction& access, const llvm::Value* buffer) {
  const llvm::MDNode* tag = access.getMetadata(llvm::LLVMContext::MD_tbaa);
  if (name_of(root_of(tag)).starts_with("Flang function root")) {
    const llvm::Value* address = llvm::getLoadStorePointerOperand(&access);
    if (!address || name_of(parent(tag)) == "descriptor member") return address != nullptr;
    const llvm::Type* type = llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&access));
    const llvm::Value* variable = address->stripInBoundsConstantOffsets();
    return (type->isIntegerTy() || type->isPointerTy()) && llvm::getUnderlyingObject(buffer) != variable &&
           (llvm::isa<llvm::GlobalVariable>(variable) || llvm::isa<llvm::AllocaInst>(variable) ||
            llvm::isa<llvm::Argument>(variable));
  }
  const llvm::StringRef name = name_of(parent(tag));
  return name == "int" || name == "long" || name == "long long" || name == "short" || name == "bool" ||
         name == "any pointer" || name == "vtable pointer";
}

bool writes_floating_numbers(const llvm::Instruction& access) {
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&access);
  if (store && store->getValueOperand()->getType()->isFPOrFPVectorTy()) return true;
  if (!store && !llvm::isa<llvm::MemTransferInst>(access)) return false;
  const llvm::StringRef name = name_of(parent(access.getMetadata(llvm::LLVMContext::MD_tbaa)));
  return name == "double" || name == "float" || name == "long double";
}

llvm::MDNode* common_type(llvm::MDNode* a, llvm::MDNode* b) {
  if (a == b || !a || !b) return a == b ? a : nullptr;
  const auto tag_of = [&](const llvm::MDNode* type) {
    auto* one = const_cast<llvm::MDNode*>(type);
    return llvm::MDBuilder(a->getContext()).createTBAAStructTagNode(one, one, 0);
  };
  if (parent(a) && parent(a) == parent(b)) return tag_of(parent(a));
  for (const llvm::MDNode* type = parent(a); type; type = parent(type))
    if (name_of(type) == "any access" && name_of(parent(type)).starts_with("Flang function root"))
      return tag_of(type);
  return nullptr;
}

bool is_dummy_type(const llvm::MDNode* tag) {
  return tag && name_of(parent(tag)).starts_with("dummy arg data/");
}

llvm::MDNode* type_of_variable(const llvm::Value* pointer, const llvm::Function& function) {
  // A dummy argument, or the global descriptor that an address is loaded from.
  const auto variable_of = [](const llvm::Value* address) -> const llvm::Value* {
    const llvm::Value* object = llvm::getUnderlyingObject(address);
    if (llvm::isa<llvm::Argument>(object)) return object;
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(object);
    return load && llvm::isa<llvm::GlobalVariable>(load->getPointerOperand()) ? load->getPointerOperand()
                                                                              : nullptr;
  };
  const llvm::Value* variable = variable_of(pointer);
  if (!variable) return nullptr;
  llvm::MDNode* found = nullptr;
  for (const llvm::Instruction& i : llvm::instructions(function)) {
    const llvm::Value* address = llvm::getLoadStorePointerOperand(&i);
    if (!address || variable_of(address) != variable) continue;
    // Accesses without a type of the variable's own say nothing about it.
    llvm::MDNode* tag = own_type(i);
    const llvm::StringRef name = tag ? name_of(parent(tag)) : "";
    if (!name.starts_with("dummy arg data/") && !name.starts_with("direct data/")) continue;
    if (found && found != tag) return nullptr;
    found = tag;
  }
  return found;
}

std::optional<std::int64_t> constant_argument(const MpiCall& call, int index) {
  const llvm::Value* value = call.argument(index);
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) return number->getSExtValue();
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
    if (!global->isConstant() || !global->hasDefinitiveInitializer()) return {};
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(global->getInitializer());
    return number ? std::optional(number->getSExtValue()) : std::nullopt;
  }
  // flang stores a constant into a variable of its own just before the call.
  if (!llvm::isa<llvm::AllocaInst>(value)) return {};
  std::optional<std::int64_t> found;
  for (const llvm::User* user : value->users()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store && store->getPointerOperand() == value) {
      const auto* number = llvm::dyn_cast<llvm::ConstantInt>(store->getValueOperand());
      if (!number || (found && *found != number->getSExtValue())) return {};
      found = number->getSExtValue();
      continue;
    }
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    if (instruction && (llvm::isa<llvm::LoadInst>(user) || instruction->isLifetimeStartOrEnd())) continue;
    // MPI only reads it, if it is no output there.
    const auto other = instruction ? MpiCall::of(*instruction) : std::nullopt;
    if (!other || other->kind() == Kind::outside) return {};
    const Routine& r = other->routine();
    for (int i = 0; i < r.arguments; ++i) {
      if (other->argument(i) != value) continue;
      const bool scalar = i != r.buffer && i != r.request && i != r.requests && i != r.status &&
                          !(r.outputs >> i & 1) && !(r.kind == Kind::sendrecv && i == r.receive);
      if (!scalar) return {};
    }
    if (other->error() == value) return {};
  }
  return found;
}

}  // namespace lapwing::compiler
