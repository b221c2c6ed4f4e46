// SPDX-License-Identifier: Apache-2.0
#include "compiler/alias/lost_types.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/alias/fortran_tags.hpp"

namespace lapwing::compiler {

bool restore_lost_types(llvm::Function& function) {
  using Access = std::pair<const llvm::Value*, llvm::Type*>;
  const auto access = [](llvm::Instruction& i) {
    return Access(llvm::getLoadStorePointerOperand(&i)->stripPointerCasts(), llvm::getLoadStoreType(&i));
  };
  llvm::DenseMap<Access, llvm::MDNode*> types;
  llvm::SmallVector<llvm::LoadInst*, 16> lost;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
    if (!load && !llvm::isa<llvm::StoreInst>(i)) continue;
    llvm::MDNode* type = i.getMetadata(llvm::LLVMContext::MD_tbaa);
    if (!type) {
      if (load) lost.push_back(load);
      continue;
    }
    const auto [known, is_new] = types.try_emplace(access(i), type);
    if (!is_new) known->second = common_type(known->second, type);
  }
  bool any = false;
  for (llvm::LoadInst* load : lost) {
    llvm::MDNode* type = types.lookup(access(*load));
    if (type) load->setMetadata(llvm::LLVMContext::MD_tbaa, type);
    any |= type != nullptr;
  }
  return any;
}

}  // namespace lapwing::compiler
