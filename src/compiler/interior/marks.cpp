// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/marks.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Metadata.h>

namespace lapwing::compiler {
namespace {

constexpr const char* call_kind = "lapwing.call";
constexpr const char* clear_kind = "lapwing.clear";

llvm::MDNode* identity(llvm::CallBase& call) {
  if (llvm::MDNode* known = call.getMetadata(call_kind)) return known;
  llvm::MDNode* made = llvm::MDNode::getDistinct(call.getContext(), {});
  call.setMetadata(call_kind, made);
  return made;
}

}  // namespace

void mark_clear(llvm::ArrayRef<llvm::BasicBlock*> blocks, llvm::ArrayRef<llvm::CallBase*> calls) {
  llvm::SmallVector<llvm::Metadata*, 4> names;
  for (llvm::CallBase* call : calls) names.push_back(identity(*call));
  for (llvm::BasicBlock* block : blocks)
    for (llvm::Instruction& i : *block)
      i.setMetadata(clear_kind, llvm::MDNode::get(block->getContext(), names));
}

bool is_clear_of(const llvm::Instruction& instruction, const llvm::CallBase& call) {
  const llvm::MDNode* clear = instruction.getMetadata(clear_kind);
  const llvm::MDNode* name = clear ? call.getMetadata(call_kind) : nullptr;
  if (!name) return false;
  for (const llvm::MDOperand& one : clear->operands())
    if (one.get() == name) return true;
  return false;
}

bool has_early_rounds(const llvm::CallBase& call) { return call.getMetadata(call_kind) != nullptr; }

void remove_marks(llvm::Function& function) {
  for (llvm::Instruction& i : llvm::instructions(function)) {
    i.setMetadata(call_kind, nullptr);
    i.setMetadata(clear_kind, nullptr);
  }
}

}  // namespace lapwing::compiler
